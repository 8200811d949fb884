/** Files from the user's disk (chosen, dropped or pasted), and files saved to it. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Analysis } from '../../contract/analysis.ts';
import { resultClasses } from '../../contract/vocabulary.ts';
import { csvText, type CsvValue } from '../../present/csv.ts';
import { askBytes } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { type InputProps, useAct } from './form.tsx';
import { Button } from './pieces.tsx';
import { writeVerdict } from './verdict.ts';

type OnFiles = (files: readonly File[]) => void;

interface FileButtonProps extends InputProps {
  readonly label: string;
  readonly kind?: string;
  readonly onFiles: OnFiles;
  /** Chooses a folder, with everything in it. */
  readonly takesFolder?: boolean;
}

export function FileButton(props: FileButtonProps) {
  const { label, kind = '', onFiles, takesFolder = false, disabled = false, ...more } = props;
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button kind={kind} disabled={disabled} onClick={() => input.current?.click()}>
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        {...more}
        {...(takesFolder && { webkitdirectory: true })}
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
    </>
  );
}

/** Accepts files dropped or pasted anywhere on the page. @returns whether files are being dragged over it. */
export function useFileDrop(onFiles: OnFiles): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onFiles);
  latest.current = onFiles;
  useEffect(() => {
    const hasFiles = (data: DataTransfer | null) => data?.types.includes('Files') === true;
    const receive = (event: Event, data: DataTransfer | null) => {
      if (!hasFiles(data)) return;
      event.preventDefault();
      setOver(false);
      void filesOf(data!).then((found) => latest.current(found));
    };
    const over = (event: DragEvent) => {
      if (!hasFiles(event.dataTransfer)) return;
      event.preventDefault();
      setOver(true);
    };
    const end = new AbortController();
    const { signal } = end;
    addEventListener('dragover', over, { signal });
    addEventListener('dragleave', (event) => event.relatedTarget ?? setOver(false), { signal });
    addEventListener('drop', (event) => receive(event, event.dataTransfer), { signal });
    addEventListener('paste', (event) => receive(event, event.clipboardData), { signal });
    return () => end.abort();
  }, []);
  return isOver;
}

/** The files dropped or pasted, including those inside folders. */
async function filesOf({ items }: DataTransfer): Promise<readonly File[]> {
  // The list is emptied when this event ends, so everything is read from it now.
  const found = [...items].map(async (item) => {
    const entry = item.webkitGetAsEntry();
    return entry?.isDirectory === true ? filesIn(entry) : [item.getAsFile()];
  });
  return (await Promise.all(found)).flat().filter((file) => file !== null);
}

async function filesIn(entry: FileSystemEntry): Promise<readonly File[]> {
  if (isFile(entry)) {
    return [await new Promise<File>((resolve, reject) => entry.file(resolve, reject))];
  }
  if (!isFolder(entry)) return [];
  const reader = entry.createReader();
  const inside: FileSystemEntry[] = [];
  // A reader returns the entries in batches, and an empty one at the end.
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

/** Saves what the server makes for this tenant on request, one file at a time. */
export function useDownloads() {
  const { tenantName } = useConsole();
  const { isBusy, run } = useAct();
  const save = (name: string, path: string, query: object) =>
    run(async () => saveAs(name, await askBytes(path, { query: { tenantName, ...query } })));
  return { isBusy, save };
}

export function saveAs(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export function saveCsv(name: string, rows: readonly (readonly CsvValue[])[]): void {
  // Without this mark, spreadsheets assume the system's encoding.
  saveAs(name, new Blob(['\uFEFF', csvText(rows)], { type: 'text/csv' }));
}

const csvColumns: Readonly<Record<string, (analysis: Analysis) => CsvValue>> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  case: ({ projectId }) => projectId ?? '',
  exhibit: ({ caseData }) => caseData?.exhibit ?? '',
  status: ({ inferenceStatus }) => inferenceStatus.status,
  result: ({ inferenceStatus: { result } }) =>
    result === undefined ? '' : (resultClasses[result.resultClass] ?? ''),
  tier: ({ input }) => input.options.tier,
  created: ({ createdDate }) => createdDate,
  finished: ({ inferenceStatus }) => inferenceStatus.processingFinishTime,
  tags: ({ tags }) => tags.join(' '),
  comment: ({ comment }) => comment,
  /** As on the page of the analysis; empty for entries of a list, which lack the evidence. */
  answer: (analysis) =>
    analysis.inferenceStatus.result?.evidence === undefined
      ? ''
      : (writeVerdict(analysis, 'en')?.headline ?? ''),
};

export function saveAnalyses(analyses: readonly Analysis[], name = 'analyses.csv'): void {
  const isAnswered = analyses.some((analysis) => csvColumns['answer']?.(analysis) !== '');
  const columns = Object.entries(csvColumns).filter(([title]) => title !== 'answer' || isAnswered);
  const rows = analyses.map((analysis) => columns.map(([, read]) => read(analysis)));
  saveCsv(name, [columns.map(([title]) => title), ...rows]);
}
