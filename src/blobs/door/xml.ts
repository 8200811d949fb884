import type { ServerResponse } from 'node:http';

/** An element: its name, and text or further elements. */
export type Element = readonly [name: string, content: string | readonly Element[]];

const named: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};
const xmlns = 'http://s3.amazonaws.com/doc/2006-03-01/';

/** A whole document. Results carry S3's namespace; errors carry none. */
export function xmlDocument([name, content]: Element): string {
  const space = name === 'Error' ? '' : ` xmlns="${xmlns}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${name}${space}>${xmlContent(content)}</${name}>`;
}

export function sendXml(response: ServerResponse, status: number, root: Element): void {
  const body = Buffer.from(xmlDocument(root));
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/xml');
  response.setHeader('Content-Length', body.length);
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

/** Text for an element: marks escaped, control characters as references, as S3 itself writes them. */
export function escapeXml(text: string): string {
  return text.replace(
    /[&<>"]|\p{Cc}/gu,
    (mark) => named[mark] ?? `&#x${mark.charCodeAt(0).toString(16)};`,
  );
}

function xmlContent(content: string | readonly Element[]): string {
  if (typeof content === 'string') return escapeXml(content);
  return content.map(([name, inner]) => `<${name}>${xmlContent(inner)}</${name}>`).join('');
}
