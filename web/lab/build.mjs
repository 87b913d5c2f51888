// Builds the page into the folder that the command embeds. The same sources give the same bytes.
// `node build.mjs --check` builds aside and says which committed files differ; `--out=FOLDER` builds there.

import { build } from 'esbuild';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const assets = join(here, '../../crates/clockwise-cli/assets/lab');
const check = process.argv.includes('--check');
const named = process.argv.find((argument) => argument.startsWith('--out='))?.slice('--out='.length);
const out = check ? await mkdtemp(join(tmpdir(), 'lab-page-')) : (named ?? assets);

await build({
  absWorkingDir: here,
  entryPoints: { lab: 'src/main.ts' },
  outdir: out,
  bundle: true,
  format: 'iife',
  target: 'es2022',
  charset: 'utf8',
  minify: true,
  legalComments: 'none',
});
await build({ absWorkingDir: here, entryPoints: { lab: 'src/lab.css' }, outdir: out, bundle: true, minify: true, charset: 'utf8', target: 'es2022' });
await writeFile(join(out, 'index.html'), await readFile(join(here, 'index.html')));

if (check) {
  const differ = [];
  for (const name of ['index.html', 'lab.js', 'lab.css']) {
    const [built, committed] = await Promise.all([out, assets].map((folder) => readFile(join(folder, name)).catch(() => null)));
    if (!built || !committed || !built.equals(committed)) differ.push(name);
  }
  await rm(out, { recursive: true });
  if (differ.length > 0) {
    console.error(`built from web/lab, these differ from what is committed: ${differ.join(', ')}; run npm run build there`);
    process.exit(1);
  }
}
