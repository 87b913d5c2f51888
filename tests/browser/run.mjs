// node run.mjs [NAME=FILE.html …]: every test of these pages, and at the end "N passed, N failed".

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runAll, start } from './browser.mjs';
import { tests as report } from './report.test.mjs';

const browser = await start();
let result;
try {
  const pages = process.argv.slice(2).map(argument => {
    const at = argument.indexOf('=');
    return [argument.slice(0, at), pathToFileURL(resolve(argument.slice(at + 1))).href];
  });
  result = await runAll(pages.flatMap(([name, url]) => report(browser, name, url)));
} finally {
  await browser.close();
}
console.log(`${result.passed} passed, ${result.failed} failed`);
process.exitCode = result.failed > 0 || result.passed === 0 ? 1 : 0;
