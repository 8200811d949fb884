export interface ProfileOptions {
  readonly json: boolean;
}
