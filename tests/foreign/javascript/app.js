// A component that knows nothing of remit: functions at the top level of its world, and WASI's own interfaces for files.

import { getDirectories } from 'wasi:filesystem/preopens@0.2.3';

export function northernmost(places) {
  return places.toSorted((a, b) => b.latitude - a.latitude)[0]?.name;
}

export function readPlaces(path) {
  const [directory] = getDirectories()[0] ?? [];
  if (directory === undefined) throw 'there is no directory';
  try {
    const file = directory.openAt({ symlinkFollow: true }, path, {}, { read: true });
    const [bytes] = file.read(65536n, 0n);
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw String(error.payload ?? error);
  }
}
