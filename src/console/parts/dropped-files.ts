/** The files that somebody dropped or pasted, those inside of folders too. */

export async function filesOf({ items, files }: DataTransfer): Promise<readonly File[]> {
  // The list is emptied once this event is over: everything is taken out of it now.
  const entries = [...items].map((item) => item.webkitGetAsEntry?.() ?? null);
  const plain = [...files];
  const found = await Promise.all(
    entries.map(async (entry) => (entry?.isDirectory === true ? filesIn(entry) : [])),
  );
  const folders = new Set(
    entries.filter((entry) => entry?.isDirectory === true).map((entry) => entry!.name),
  );
  return [
    ...plain.filter(
      ({ name, size, type }) => !(folders.has(name) && size % 4096 === 0 && type === ''),
    ),
    ...found.flat(),
  ];
}

async function filesIn(entry: FileSystemEntry): Promise<readonly File[]> {
  if (isFile(entry)) {
    return [await new Promise<File>((resolve, reject) => entry.file(resolve, reject))];
  }
  if (!isFolder(entry)) return [];
  const reader = entry.createReader();
  const inside: FileSystemEntry[] = [];
  // A reader answers some at a time, and nothing at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) break;
    inside.push(...some);
  }
  const visible = inside.filter(({ name }) => !name.startsWith('.'));
  return (await Promise.all(visible.map(filesIn))).flat();
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}
