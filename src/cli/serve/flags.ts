/** The settings that have a flag, for the server and for whoever asks what the server would make of them. */

import type { Command } from 'commander';

export interface SettingFlags {
  readonly host?: string;
  readonly port?: string;
  readonly publicUrl?: string;
  readonly dataDir?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly behindProxy?: boolean;
  readonly workers?: string;
  readonly logLevel?: string;
}

export function withSettingFlags(command: Command): Command {
  return command
    .option('--host <host>', 'the address to listen on (default: 127.0.0.1)')
    .option('--port <port>', 'the port to listen on; 0 takes a free one (default: 8443)')
    .option('--public-url <url>', 'what clients put before /v1, when it is not host and port')
    .option('--data-dir <dir>', 'the data folder (default: forensics in $XDG_DATA_HOME)')
    .option('--tls-cert <file>', 'your certificate, PEM (default: one of our own authority)')
    .option('--tls-key <file>', 'its private key, PEM')
    .option('--behind-proxy', 'listen on plain HTTP for a proxy on this machine')
    .option('--workers <n>', 'child processes that examine pictures')
    .option('--log-level <level>', 'silent, fatal, error, warn, info, debug or trace')
    .option('--config <file>', 'the config file');
}
