// What a test does with the lab, and reads of it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';

/** Starts `clockwise lab` on a free port. Gives its address and how to end it. */
export async function serve(program) {
  const child = spawn(program, ['lab', '--no-open', '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = () => child.kill();
  process.once('exit', stop);
  const url = await new Promise((done, failed) => {
    let said = '';
    child.stdout.on('data', bytes => {
      said += bytes;
      const found = /http:\/\/127\.0\.0\.1:\d+\/?/.exec(said);
      if (found && said.includes('\n')) done(found[0]);
    });
    child.once('error', failed);
    child.once('exit', code => failed(new Error(`clockwise lab ended with ${code}: ${said}`)));
  });
  return { url, stop };
}

// What a test reads right after it did something must wait for what the page says when that is done. These do; `innerText` and
// its like do not.

/** The page has drawn all that it asked for, and what was begun has ended. */
export const ready = page => page.waitForSelector('body[data-ready="true"]');
/** And the comparison of all schemes, which takes longer and is made for who looks at it, is there. */
export const settled = async page => {
  await page.locator('#compare').evaluate(compare => compare.scrollIntoView({ block: 'nearest' }));
  await page.waitForSelector('#compare[data-many="true"]', { state: 'attached' });
  await page.waitForSelector('body[data-settled="true"]');
};
/** What follows the size of the page, which is told once a frame, has it. */
export const laidOut = page => page.evaluate(async () => {
  for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
});
export const resize = async (page, width, height) => {
  await page.setViewportSize({ width, height });
  const found = await page.evaluate(async width => {
    for (let frame = 0; frame < 1_000 && innerWidth !== width; frame += 1) await new Promise(requestAnimationFrame);
    return innerWidth;
  }, width);
  assert.equal(found, width);
  await laidOut(page);
};
/** As the page has it: what the browser tells of it comes later. */
export const address = page => page.evaluate(() => location.href);
export const figure = (page, name) => page.locator(`[data-figure="${name}"]`).first().innerText();
export const sentence = page => page.locator('#sentence').innerText();
export const cell = async (page, name) => {
  await settled(page);
  return page.locator(`[data-cell="${name}"]`).innerText();
};
/** `28.2% · 13 keys` of a node. */
export const share = (page, node) => page.locator(`#shares [data-node="${node}"] .value`).innerText();
export const keysOf = async (page, node) => Number(/(\d+) keys?/.exec(await share(page, node))[1]);
export const press = async (page, name) => {
  await page.getByRole('button', { name, exact: true }).click();
  await ready(page);
};
export const choose = async (page, scheme) => {
  await page.locator('#scheme-pick').evaluate((pick, value) => {
    pick.value = value;
    pick.dispatchEvent(new Event('change'));
  }, scheme);
  await ready(page);
};
export const tokens = async (page, number) => {
  await page.getByLabel('Tokens per node, as a number').fill(String(number));
  await page.keyboard.press('Enter');
  await ready(page);
};
/** In the page: drops a file of these bytes, or this text, on it. */
export const dropIn = ([name, bytes]) => {
  const data = new DataTransfer();
  data.items.add(new File([typeof bytes === 'string' ? bytes : Uint8Array.from(bytes)], name));
  document.querySelector('#panel-own').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
};
export const drop = async (page, name, bytes) => {
  await page.evaluate(dropIn, [name, bytes]);
  // Not by its name, which may be that of the file before.
  await ready(page);
};
/** Makes a browser of this one that takes half a second for files, the clipboard and pictures; and keeps what the page notes. */
export const slowed = page => page.evaluate(() => {
  const late = () => new Promise(done => setTimeout(done, 500));
  window.quick = Blob.prototype.text;
  for (const name of ['text', 'arrayBuffer']) {
    const read = Blob.prototype[name];
    Blob.prototype[name] = async function slow() {
      await late();
      return read.call(this);
    };
  }
  Object.defineProperty(navigator, 'clipboard', { value: { writeText: late } });
  const draw = HTMLCanvasElement.prototype.toBlob;
  HTMLCanvasElement.prototype.toBlob = function slow(done, ...kind) {
    draw.call(this, blob => late().then(() => done(blob)), ...kind);
  };
  // Notes go by themselves after a while.
  new MutationObserver(() => { window.noted = document.querySelector('#note').textContent || window.noted; })
    .observe(document.querySelector('#note'), { childList: true });
});
export const lastNote = page => page.evaluate(() => window.noted);
export const joins = (page, node) => press(page, `Add node ${node}`);
export const leave = (page, node) => press(page, `Remove node ${node}`);
