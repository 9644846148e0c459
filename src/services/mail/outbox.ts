import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The directory of messages in development and tests, when no server is configured. */
export class Outbox {
  private readonly directory: string;

  constructor(dataDir: string) {
    this.directory = join(dataDir, 'outbox');
  }

  /** Writes a file whose name sorts by time. The file is complete or absent; writing it again replaces it. */
  async write(at: Date, name: string, content: string | Uint8Array): Promise<void> {
    await mkdir(this.directory, { recursive: true });
    const file = join(this.directory, `${at.toISOString().replaceAll(':', '-')}-${name.replace(/[^\w.-]+/g, '')}`);
    await writeFile(`${file}.part`, content, { mode: 0o600 });
    await rename(`${file}.part`, file);
  }
}
