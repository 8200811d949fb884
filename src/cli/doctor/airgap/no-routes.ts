import { readFileSync } from 'node:fs';

/**
 * Packets that the kernel could not send because no way leads there, by this network namespace since it was made: native code
 * is counted like any other. Null where the system keeps no such count.
 *
 * @see Linux, Documentation/networking/snmp_counter.rst: IpOutNoRoutes; RFC 2465 for the one of IPv6.
 */
export function countNoRoutes(): number | null {
  const ip4 = textOf('/proc/net/snmp');
  if (ip4 === null) return null;
  const [names = [], values = []] = ip4
    .split('\n')
    .filter((line) => line.startsWith('Ip: '))
    .map((line) => line.split(' '));
  const ofIp4 = Number(values[names.indexOf('OutNoRoutes')] ?? 0);
  const ofIp6 = /^Ip6OutNoRoutes\s+(\d+)$/m.exec(textOf('/proc/net/snmp6') ?? '')?.[1] ?? 0;
  return ofIp4 + Number(ofIp6);
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Not Linux, or IPv6 is switched off.
    return null;
  }
}
