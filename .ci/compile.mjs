// Compiles src and migrations into dist, as `nest build` would: by TypeScript, with the plugin of @nestjs/swagger, which reads the types and
// comments of DTO classes for the API document. The command line of Nest brings 80 packages, of which nothing else is used.
import { before as swagger } from '@nestjs/swagger/plugin';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const PLUGIN = { classValidatorShim: true, introspectComments: true };
/** Files that the service reads or loads, beside the compiled ones. */
const ASSET = /\.(sql|mjs)$/;

const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (diagnostic) => report([diagnostic]) };
const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile('tsconfig.build.json', {}, host);
const program = ts.createProgram(fileNames, { ...options, incremental: false, tsBuildInfoFile: undefined });
const { diagnostics } = program.emit(undefined, undefined, undefined, false, {
  before: [
    swagger({ ...PLUGIN, dtoFileNameSuffix: ['.dto.ts'], controllerFileNameSuffix: ['.controller.ts'] }, program),
  ],
});
report([...errors, ...ts.getPreEmitDiagnostics(program), ...diagnostics]);
for (const path of readdirSync('src', { recursive: true }).filter((each) => ASSET.test(each)))
  cpSync(join('src', path), join('dist/src', path));

function report(found) {
  if (found.length === 0) return;
  console.error(
    ts.formatDiagnosticsWithColorAndContext(found, {
      getCanonicalFileName: (path) => path,
      getCurrentDirectory: () => process.cwd(),
      getNewLine: () => ts.sys.newLine,
    }),
  );
  process.exitCode = 1;
}
