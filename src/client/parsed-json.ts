/** Null for what is no JSON, such as a proxy's page: then the status decides what is told. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
