import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The directory in which messages end where no server takes them: for development and tests. */
export class Outbox {
  private readonly directory: string;

  constructor(dataDir: string) {
    this.directory = join(dataDir, 'outbox');
  }

  /** Writes a file whose name sorts by time. A file is there whole or not at all, and written again it is the same one. */
  async write(at: Date, name: string, content: string | Uint8Array): Promise<string> {
    await mkdir(this.directory, { recursive: true });
    const file = join(this.directory, `${at.toISOString().replaceAll(':', '-')}-${name.replace(/[^\w.-]+/g, '')}`);
    await writeFile(`${file}.part`, content, { mode: 0o600 });
    await rename(`${file}.part`, file);
    return file;
  }
}
