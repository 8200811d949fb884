import { expect, test } from 'vitest';
import { createServerLog } from '../../../src/cli/serve/listen.ts';

/** A log file that takes `room` bytes and then fails, as a full disk or a dead reader does. */
function fileWithRoom(room: number) {
  const file = { room, text: '' };
  const log = createServerLog((bytes) => {
    if (file.room === 0) throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
    const written = bytes.subarray(0, file.room);
    file.text += Buffer.from(written).toString('utf8');
    file.room -= written.length;
    return written.length;
  });
  return { file, log };
}

test('a full log drops lines, and reports how many once it can be written again', () => {
  const { file, log } = fileWithRoom(6);
  for (const line of ['first\n', 'second\n', 'third\n']) log.write(line);
  const whileFull = { dropped: log.dropped(), isWorking: log.isWorking() };
  file.room = 1000;
  log.write('fourth\n');

  expect(whileFull).toEqual({ dropped: 2, isWorking: false });
  expect({ dropped: log.dropped(), isWorking: log.isWorking() }).toEqual({
    dropped: 2,
    isWorking: true,
  });
  expect(file.text).toBe('first\n2 lines of this log were lost.\nfourth\n');
});

test('a partly written line is completed before the next one begins', () => {
  const { file, log } = fileWithRoom(9);
  log.write('first\n');
  log.write('second\n');
  log.write('third\n');
  file.room = 1000;
  log.write('fourth\n');

  expect(file.text).toBe('first\nsecond\n1 lines of this log were lost.\nfourth\n');
  expect(log.dropped()).toBe(1);
});
