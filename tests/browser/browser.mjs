// A browser of Debian's, driven by playwright-core, and a small runner for tests of pages: each test
// file exports a list of tests, and the run ends with "N passed, N failed". Nothing is fetched from
// anywhere but the machine itself: a request to another place fails the test.

import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// Installed under target by `cargo xtask packages`; where, the environment says.
const modules = process.env.BROWSER_MODULES;
if (!modules) throw new Error('BROWSER_MODULES is not set: run `cargo xtask browser`');
const require = createRequire(join(modules, 'node_modules', 'from'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync',
  '--disable-background-networking', '--disable-component-update', '--disable-dev-shm-usage',
];

/** Everything a reader may have that changes a page. */
export const READERS = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { name: 'tablet', colorScheme: 'light', viewport: { width: 820, height: 1100 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 360, height: 740 }, hasTouch: true },
  { name: 'dark phone', colorScheme: 'dark', viewport: { width: 360, height: 740 }, hasTouch: true },
];

/** What does not come in so long does not come: of a machine several times slower than one of ours it is no verdict. */
export const PATIENCE_MS = 120_000;

export const start = () => chromium.launch({ executablePath: process.env.CHROMIUM || 'chromium', args: FLAGS, timeout: PATIENCE_MS });

/**
 * Opens a page as one of the readers; `page.complaints` gathers what the console and the network say. It may be
 * without scripts, or after one that makes another browser of this one.
 */
export async function open(browser, url, { name: _, ...reader }, { scripts = true, before } = {}) {
  const context = await browser.newContext({ ...reader, javaScriptEnabled: scripts, reducedMotion: 'reduce' });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  if (before) await page.addInitScript(before);
  page.complaints = [];
  page.on('pageerror', error => page.complaints.push(`error: ${error}`));
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) page.complaints.push(`console: ${message.text()}`);
  });
  page.on('request', request => {
    const to = new URL(request.url());
    const here = ['file:', 'data:', 'blob:'].includes(to.protocol) || to.hostname === '127.0.0.1';
    if (!here) page.complaints.push(`fetches ${request.url()}`);
  });
  await page.goto(url);
  return page;
}

/** Rules of axe-core that the page breaks, each with its first places. */
export async function violations(page) {
  // By evaluation, so that a page that allows no scripts of others can be checked as well.
  await page.evaluate(`${axe};0`);
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
    return violations.map(rule => `${rule.id}: ${rule.nodes.slice(0, 3).map(node => node.target.join(' ')).join('; ')}`);
  });
}

/** How many pages are looked at side by side: two compute, on two cores, while another waits. */
const LANES = 3;
/** Tests that take longer are named, with their seconds. */
const SLOW_MS = 8_000;

/**
 * Runs tests, `{ name, run }` each, and prints a line for each that fails. A list of tests in their place is of
 * one page: they run in their order, so that two lanes never wait for the same page. One that is `last` waits for
 * all before it.
 */
export async function runAll(tests) {
  let passed = 0;
  let failed = 0;
  const slow = [];
  const one = async ({ name, run }) => {
    const begun = performance.now();
    try {
      await run();
      passed += 1;
    } catch (error) {
      failed += 1;
      console.log(`FAILED ${name}\n${String(error.message ?? error).split('\n').slice(0, 30).map(line => `    ${line}`).join('\n')}`);
    }
    const took = performance.now() - begun;
    if (took > SLOW_MS) slow.push(`${name} (${(took / 1000).toFixed(0)} s)`);
  };
  const waiting = tests.filter(test => !test.last);
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      for (const test of [next].flat()) await one(test);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  for (const test of tests.filter(test => test.last)) await one(test);
  if (slow.length > 0) console.log(`slow: ${slow.join(', ')}`);
  return { passed, failed };
}
