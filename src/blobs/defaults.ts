/** 50 MiB. */
export const defaultMaxObjectBytes = 50 * 1024 * 1024;
export const defaultContentType = 'application/octet-stream';
