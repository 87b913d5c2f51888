// node run.mjs KIND:NAME=FILE …: every test of these pages, and at the end "N passed, N failed". The file is
// the page, and of the kind `lab` the program that serves it.

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runAll, start } from './browser.mjs';
import { tests as lab } from './lab.test.mjs';
import { tests as report } from './report.test.mjs';

/** What a page of each kind is held to. */
const KINDS = {
  lab,
  report: (browser, name, file) => report(browser, name, pathToFileURL(file).href),
};

const browser = await start();
let result;
try {
  const tests = process.argv.slice(2).flatMap(argument => {
    const [, kind, name, file] = argument.match(/^(\w+):([^=]+)=(.+)$/) ?? [];
    if (!(kind in KINDS)) throw new Error(`${argument}: not KIND:NAME=FILE of ${Object.keys(KINDS)}`);
    return KINDS[kind](browser, name, resolve(file));
  });
  result = await runAll(tests);
} finally {
  await browser.close();
}
console.log(`${result.passed} passed, ${result.failed} failed`);
process.exitCode = result.failed > 0 || result.passed === 0 ? 1 : 0;
