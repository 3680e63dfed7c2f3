// Archives of several files are opened as if each file had been given by itself.

import { isArchive } from '../tables/kinds.js';

/** The files of an archive; null where it is read as one file. */
type Unpack = (archive: File) => Promise<File[] | null>;

/** What files were found to consist of. A file of an archive is itself: an archive within an archive is not unpacked. */
const found: WeakMap<File, File[]> = new WeakMap();

/** The files, with those of an archive in its place; the same objects whenever the same archive is given. */
export async function withMembers(files: File[], unpack: Unpack): Promise<File[]> {
  const lists = files.map(async (file) => {
    const known = found.get(file);
    if (known) return known;
    const members = ((await isArchive(file)) && (await unpack(file))) || [file];
    for (const member of members) found.set(member, [member]);
    found.set(file, members);
    return members;
  });
  return (await Promise.all(lists)).flat();
}
