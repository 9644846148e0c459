import { parseAppId, parseChoice, WrongUsage } from '../../services/cli/arguments.js';
import type { Commands } from '../../services/cli/command.js';
import { BY_CLI } from '../../services/cli/requester.js';
import type { Progress } from './import-files.js';
import type { SourceName } from './sources/index.js';

const SECONDS_BETWEEN_LINES = 2;

const number = new Intl.NumberFormat('en');

function progressLine({ records, failed }: Progress, share: number, rate: number, secondsLeft: number): string {
  const left = secondsLeft < 90 ? `${Math.ceil(secondsLeft)} s` : `${Math.ceil(secondsLeft / 60)} min`;
  const percent = Math.min(100, Math.round(share * 100));
  return `${number.format(records)} users (${percent} %), ${number.format(Math.round(rate))} a second, ${left} left, ${number.format(failed)} rejected\n`;
}

export const IMPORT_COMMANDS: Commands = {
  import: {
    summary:
      'Import the users of another vendor: --app <id> --from <vendor> --file <path>, with further --file for its further files. Run it again after an interruption: it continues.',
    options: {
      app: { type: 'string' },
      from: { type: 'string' },
      file: { type: 'string', multiple: true },
      report: { type: 'string', default: 'import-report.ndjson' },
      'dry-run': { type: 'boolean' },
    },
    required: ['app', 'from', 'file'],
    async run({ app, from, file, report, 'dry-run': dryRun }, workspace) {
      const [{ ImportFiles }, { rowInFile }, { SOURCES }] = await Promise.all([
        import('./import-files.js'),
        import('./http/import-users.dto.js'),
        import('./sources/index.js'),
      ]);
      const appId = parseAppId(app);
      const source = SOURCES[parseChoice('from', from, Object.keys(SOURCES) as SourceName[])];
      const files = file as readonly string[];
      const most = 1 + (source.sides?.length ?? 0) + (source.parameters ? 1 : 0);
      if (most > 1 && files.length > most) throw new WrongUsage(`--file may be given at most ${most} times.`);
      for (const sentence of source.leavesOut) workspace.terminal.err(`${sentence}\n`);
      const importing = (await workspace.service()).get(ImportFiles, { strict: false });
      const asked = { appId, source, files, report: String(report), isDryRun: dryRun === true };
      const begun = performance.now();
      let first: (Progress & { readonly share: number }) | undefined;
      let lastLine = begun;
      const progress = await importing.execute(
        BY_CLI,
        asked,
        (row) => rowInFile(row, source.keepsIds ?? false),
        (now) => {
          first ??= now;
          const time = performance.now();
          if (time - lastLine < SECONDS_BETWEEN_LINES * 1000) return;
          lastLine = time;
          const seconds = (time - begun) / 1000;
          const rate = (now.records - first.records) / seconds;
          const shareRate = (now.share - first.share) / seconds;
          workspace.terminal.err(progressLine(now, now.share, rate, shareRate > 0 ? (1 - now.share) / shareRate : 0));
        },
      );
      return { ...progress, seconds: Math.round((performance.now() - begun) / 100) / 10, report: String(report) };
    },
  },
};
