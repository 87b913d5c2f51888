// The lab's page, served by the command: every figure it promises, by keyboard alone, in all looks.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { READERS, open, violations } from './browser.mjs';
import {
  address, cell, choose, drop, dropIn, figure, joins, keysOf, laidOut, lastNote, leave, press, ready, resize, sentence, serve, settled, share, slowed, tokens,
} from './lab.mjs';
import { covered, hollow, overflow, overlaps } from './layout.mjs';
import { closest } from './vision.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A scheme without a circle, eight nodes of which two stand close, long names. With 12 keys, since axe looks
 * at each sign on the ring for itself and what holds for twelve keys holds for 48.
 */
const LONG = [1, 2, 3].map(at => `cache-eu-west-1-production-000${at}.memcached.internal.example.com:11211`);
const LOOKS = [
  '#v1&f=A,B,C,D,E;s=mod-n&b=A,B,C,D;s=mod-n&k=user:1..12',
  '#v1&f=A,B,C,D,E,F,G,H&b=A,B,C,D,E,F,G&k=user:1..12',
  `#v1&f=${LONG.join(',')}&b=${LONG.slice(0, 2).join(',')}&k=user:1..12`,
];

/** Tests of the lab that this program serves, whose answers the page must give as well. */
export function tests(browser, name, binary) {
  const complaints = [];
  let served;
  /** All pages that were opened: what the console says last comes when a test is over. */
  const opened = [];
  /** Pages whose test is over, by reader. A new one takes a second; the lab keeps nothing that another load would find. */
  const idle = new Map(READERS.map(({ name }) => [name, []]));
  /** A test on a page that was loaded for it. `path` follows the address. */
  const on = (reader, path, run) => async () => {
    served ??= serve(binary);
    const url = (await served).url + path;
    let page = idle.get(reader.name).pop();
    if (page) {
      // By way of another page, since an address that differs in its fragment alone loads nothing.
      await page.goto('about:blank');
      await page.goto(url);
    } else {
      page = await open(browser, url, reader);
      opened.push(page);
    }
    try {
      await ready(page);
      await run(page);
      idle.get(reader.name).push(page);
    } catch (error) {
      await page.context().close();
      throw error;
    }
  };
  const [light, dark, , phone] = READERS;
  const test = (what, run, path = '') => ({ name: `${name}: ${what}`, run: on(light, path, run) });

  return [
    test('tokens lie where the definition says', async page => {
      for (const node of ['E', 'F', 'G', 'H']) await joins(page, node);
      const rows = await page.locator('#ring-table table').nth(1).locator('tbody tr').evaluateAll(rows =>
        Object.fromEntries(rows.map(row => [row.children[1].textContent.trim(), row.children[0].textContent])));
      assert.deepEqual(rows, { C: '76°', B: '178°', D: '287°', A: '347°', E: '51°', F: '199°', G: '70°', H: '203°' });
    }),

    test('E takes 7 of 48 keys, and hash mod N would move 44, 36 of them for nothing', async page => {
      assert.match(await sentence(page), /48 keys on 4 nodes/);
      await joins(page, 'E');
      assert.deepEqual([await figure(page, 'moved'), await figure(page, 'stray'), await figure(page, 'fair')], ['7', '0', '9.6']);
      assert.match(await sentence(page), /E joined: 7 of 48 keys moved/);
      assert.equal(await page.locator('.ring .figure').innerHTML(), '7');
      assert.equal(await page.locator('.ring .key .moved').count(), 7);
      await page.waitForURL(/#v1&f=A,B,C,D,E&b=A,B,C,D$/);
      assert.deepEqual([await cell(page, 'mod-n moved'), await cell(page, 'mod-n stray'), await cell(page, 'ring moved')], ['44', '36', '7']);
      assert.deepEqual(
        [await cell(page, 'mod-n many'), await cell(page, 'rendezvous many'), await cell(page, 'ring many')],
        ['80.0%', '20.1%', '17.6%'],
      );
      assert.equal(await page.locator('#compare tbody tr').count(), 14);
      assert.equal(await page.locator('#compare .fair').count(), 14);
      await choose(page, 'mod-n');
      assert.deepEqual([await figure(page, 'moved'), await figure(page, 'stray')], ['44', '36']);
    }),

    test('eight nodes: F 2, G 2, H 0 keys; B 28.2%, H 1.1%; 2.26, 2.76 and 1.12 times the mean', async page => {
      for (const [node, keys] of [['E', 7], ['F', 2], ['G', 2], ['H', 0]]) {
        await joins(page, node);
        assert.equal(await keysOf(page, node), keys, node);
      }
      assert.match(await share(page, 'B'), /^28\.2%/);
      assert.match(await share(page, 'H'), /^1\.1% · 0 keys/);
      assert.equal(await figure(page, 'busiest'), '2.26');
      await tokens(page, 2);
      assert.equal(await figure(page, 'busiest'), '2.76');
      await tokens(page, 200);
      assert.equal(await figure(page, 'busiest'), '1.12');
      assert.equal(await page.locator('#tokens').getAttribute('aria-valuetext'), '200 tokens');
    }),

    test('D leaves: all 20 keys to A, with 200 tokens 5 keys to four nodes, by hash mod N 42', async page => {
      await leave(page, 'D');
      assert.match(await sentence(page), /20 of 48 keys moved, all from D to A/);
      assert.equal(await keysOf(page, 'A'), 26);
      assert.equal(await cell(page, 'mod-n moved'), '42');
      await tokens(page, 200);
      assert.match(await sentence(page), /5 of 48 keys moved, all from D: 2 to C, 1 to A, 1 to E and 1 to G/);
    }, '#v1&f=A,B,C,D,E,F,G,H'),

    test('rendezvous without B: its 12 keys go 7 to D, 3 to A, 2 to C', async page => {
      await choose(page, 'rendezvous');
      assert.equal(await keysOf(page, 'B'), 12);
      await leave(page, 'B');
      assert.match(await sentence(page), /12 of 48 keys moved, all from B: 7 to D, 3 to A and 2 to C/);
    }),

    test('by keyboard alone: a step answered, a node added, a key looked at, undone', async page => {
      const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() || document.activeElement?.id || '');
      const tabTo = async wanted => {
        for (let tries = 0; tries < 120; tries += 1) {
          await page.keyboard.press('Tab');
          if ((await focused()) === wanted) return;
        }
        assert.fail(`no way by Tab to ${wanted}`);
      };
      await page.keyboard.press('Tab');
      assert.equal(await focused(), 'Skip to the ring');
      await tabTo('7');
      await page.keyboard.press('Enter');
      await ready(page);
      assert.match(await page.locator('#guide-verdict').innerText(), /^Yes\. 7 keys/);
      await tabTo('Add node F');
      await page.keyboard.press('Enter');
      await ready(page);
      assert.match(await sentence(page), /F joined: 2 of 48/);
      assert.equal(await focused(), 'Add node G', 'the focus stays');
      assert.equal(await page.locator('#guide-title').innerText(), 'The lab is yours');
      await page.locator('#stage').focus();
      // The keys are one stop, and arrows go clockwise.
      await tabTo(await page.locator('.ring .key[tabindex="0"]').textContent());
      const first = await page.evaluate(() => document.activeElement.getAttribute('aria-label'));
      await page.keyboard.press('ArrowRight');
      const second = await page.evaluate(() => document.activeElement.getAttribute('aria-label'));
      assert.notEqual(first, second);
      await page.keyboard.press('Enter');
      await ready(page);
      assert.equal(await page.locator('#lens-key').inputValue(), second.split(',')[0]);
      await page.keyboard.press('Control+z');
      await ready(page);
      assert.match(await sentence(page), /E joined: 7 of 48/);
    }),

    test('the change is told in a polite live region, and figures are no region of their own', async page => {
      await joins(page, 'E');
      assert.equal(await page.locator('#sentence').getAttribute('aria-live'), 'polite');
      const live = await page.locator('[aria-live], [role="status"], [role="alert"], output').evaluateAll(found =>
        found.filter(element => element.textContent.trim() !== '').map(element => element.id));
      assert.deepEqual(live, ['sentence']);
    }),

    test('a link restores the whole page', async page => {
      await joins(page, 'E');
      await tokens(page, 20);
      await choose(page, 'bounded');
      await page.getByText('Weights, zones, failures').click();
      await page.getByLabel('Weight of B').fill('3');
      await page.keyboard.press('Enter');
      await ready(page);
      await page.getByLabel('Zone of C').fill('west, 2');
      await page.keyboard.press('Enter');
      await ready(page);
      await page.getByLabel('A is down').check();
      await ready(page);
      const text = async page => {
        await settled(page);
        return Promise.all(['#sentence', '#figures', '#shares', '#compare'].map(part => page.locator(part).innerText()));
      };
      const here = await text(page);
      const other = await open(browser, await address(page), light);
      await ready(other);
      assert.deepEqual(await text(other), here);
      await other.getByText('Weights, zones, failures').click();
      assert.equal(await other.getByLabel('Zone of C').inputValue(), 'west, 2');
      complaints.push(...other.complaints);
      await other.context().close();
    }),

    test('a link that is none is refused in words, until something else is done', async page => {
      assert.match(await page.locator('#trouble').innerText(), /no link of the lab/);
      assert.equal(await figure(page, 'moved'), '–');
      await joins(page, 'E');
      assert.equal(await page.locator('#trouble').innerText(), '');
    }, '#nonsense'),

    test('a link to a fleet that cannot be draws the first page, and says why', async page => {
      assert.match(await page.locator('#trouble').innerText(), /Number of masters 2 is too small/);
      assert.match(await sentence(page), /^48 keys on 4 nodes/);
      assert.equal(await page.locator('#guide-title').innerText(), 'A node joins');
    }, '#v1&f=A,B;s=product;p=redis-cluster'),

    test('a refusal of what was asked is over with the next change, and undone from a slider as well', async page => {
      await page.locator('#copy-command').click();
      await page.locator('#trouble', { hasText: 'every change so far' }).waitFor();
      await choose(page, 'ring');
      assert.equal(await page.locator('#trouble').innerText(), '');
      await page.locator('#tokens').focus();
      await page.keyboard.press('ArrowRight');
      await ready(page);
      assert.equal(await page.locator('#tokens-number').inputValue(), '2');
      await page.keyboard.press('Control+z');
      await ready(page);
      assert.equal(await page.locator('#tokens-number').inputValue(), '1');
    }, '#v1&f=A,B,C;s=slots&b=A,B;s=slots&b=A;s=slots'),

    test('paper has all nodes, not those in sight', async page => {
      await page.emulateMedia({ media: 'print' });
      const cut = await page.locator('#shares, .chip-list').evaluateAll(lists => lists.map(list => list.scrollHeight - list.clientHeight));
      await page.emulateMedia({ media: null });
      assert.deepEqual(cut, [0, 0]);
    }, `#v1&f=${Array.from({ length: 30 }, (_, at) => `10.0.0.${at}%3A11211`).join(',')}`),

    test('another address is a change like others, and the way to the ring is no address', async page => {
      await page.evaluate(() => { location.hash = '#v1&f=X,Y,Z'; });
      await page.getByText(/^48 keys on 3 nodes/).waitFor();
      await ready(page);
      assert.equal(await page.locator('#guide-title').innerText(), 'The lab is yours');
      await press(page, 'Undo');
      assert.match(await sentence(page), /^48 keys on 4 nodes/);
      await page.locator('.skip').focus();
      await page.keyboard.press('Enter');
      await ready(page);
      assert.equal(await page.evaluate(() => document.activeElement.id), 'stage');
      assert.deepEqual([await page.locator('#trouble').innerText(), new URL(await address(page)).hash === '#stage'], ['', false]);
    }),

    test('what cannot be is refused, and is no step on the way to what can', async page => {
      await page.getByText('Weights, zones, failures').click();
      const weigh = async (node, weight) => {
        await page.getByLabel(`Weight of ${node}`).fill(weight);
        await page.keyboard.press('Enter');
        await ready(page);
      };
      for (const node of 'AB') await weigh(node, '0');
      const trouble = () => page.locator('#trouble').innerText();
      assert.match(await trouble(), /^No active servers.*What is drawn is what was before\.$/);
      await weigh('A', '2');
      assert.equal(await trouble(), '');
      assert.match(await sentence(page), /^A weighs 2, B drains: 48 of 48 keys moved, all from B to A/);
      await weigh('A', '99999999999');
      assert.match(await trouble(), /tokens are more than the/);
      await weigh('A', '-1');
      assert.equal(await page.getByLabel('Weight of A').inputValue(), '4294967295', 'what is no weight does not stay');
      await press(page, 'Undo');
      assert.equal(await trouble(), '');
      await leave(page, 'B');
      assert.equal(await page.evaluate(() => document.activeElement.id), 'add', 'the last node cannot be removed');
    }, '#v1&f=A,B'),

    test('Back from another address brings back what was before it, and a change is no step of the history', async page => {
      const back = async was => {
        await page.goBack();
        await page.getByText(was).waitFor();
        await ready(page);
      };
      const length = () => page.evaluate(() => history.length);
      const entries = await length();
      await joins(page, 'E');
      await joins(page, 'F');
      const was = await sentence(page);
      assert.equal(await length(), entries);
      const there = await address(page);
      await page.evaluate(() => { location.hash = '#v1&f=X,Y,Z'; });
      await page.getByText(/^48 keys on 3 nodes/).waitFor();
      await ready(page);
      assert.equal(await length(), entries + 1);
      await back(was);
      assert.equal(await address(page), there);
      await page.goForward();
      await page.getByText(/^48 keys on 3 nodes/).waitFor();
      await ready(page);
      await press(page, 'Undo');
      assert.equal(await sentence(page), was);
      // Also what no address holds.
      await drop(page, 'many.txt', Array.from({ length: 2_000 }, (_, at) => `key:${at}\n`).join(''));
      await press(page, 'Use as keys');
      const many = await sentence(page);
      assert.match(many, /of 2,000 keys/);
      await page.evaluate(() => { location.hash = '#v1&f=P,Q'; });
      await page.getByText(/^48 keys on 2 nodes/).waitFor();
      await ready(page);
      await back(many);
      assert.equal(new URL(await address(page)).hash, '');
    }),

    test('the next node has a name like the others, or else its sign', async page => {
      const next = () => page.locator('#add').getAttribute('title');
      assert.equal(await next(), '10.0.0.3:80');
      await page.evaluate(() => { location.hash = '#v1&f=s%C3%BCd,nord,west'; });
      await page.locator('#add[title="D"]').waitFor();
      await page.evaluate(() => { location.hash = '#v1&f=A,C'; });
      await page.locator('#add[title="B"]').waitFor();
      await ready(page);
    }, '#v1&f=10.0.0.1:80,10.0.0.2:80,cache.example:80'),

    test('the guide is done by keyboard alone, to its end, and an answer moves nothing else', async page => {
      const until = async (key, test) => {
        for (let tries = 0; tries < 20; tries += 1) {
          await page.keyboard.press(key);
          if (await page.evaluate(test)) return;
        }
        assert.fail(`no way by ${key}`);
      };
      const top = () => page.locator('#stage').evaluate(stage => stage.getBoundingClientRect().top);
      assert.equal(await page.locator('#guide-pick option').count(), 10);
      const before = await top();
      for (let step = 1; step <= 10; step += 1) {
        assert.equal(await page.locator('#guide-place').innerText(), `Step ${step} of 10`);
        await until('Tab', () => document.activeElement.matches('#guide .choice'));
        await page.keyboard.press(step % 2 ? 'Space' : 'Enter');
        await page.locator('#guide-verdict b').waitFor();
        await ready(page);
        assert.equal(await top(), before, `step ${step}`);
        // Its answer is among the choices, and is told.
        assert.equal(await page.locator('#guide-ask [data-right="true"]').count(), 1, `step ${step}`);
        assert.match(await page.locator('#guide-verdict').innerText(), /^(Yes|Not quite)\. .{40}/s, `step ${step}`);
        if (step === 10) break;
        await until('Shift+Tab', () => document.activeElement.id === 'guide-next');
        await page.keyboard.press('Enter');
        await ready(page);
      }
      // The last step speaks of a panel, and goes there.
      await page.locator('.way').waitFor();
      await until('Shift+Tab', () => document.activeElement.matches('.way'));
      await page.keyboard.press('Enter');
      assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-hashes');
    }),

    test('a folder that is dropped is told, and text is left to where it falls', async page => {
      const folder = mkdtempSync(join(tmpdir(), 'lab-'));
      const devices = await page.context().newCDPSession(page);
      const data = { items: [], files: [folder], dragOperationsMask: 1 };
      for (const type of ['dragEnter', 'dragOver', 'drop']) await devices.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data });
      await page.getByText('it is a folder').waitFor();
      rmSync(folder, { recursive: true });
      const taken = await page.locator('#own-text').evaluate(field => {
        const dataTransfer = new DataTransfer();
        dataTransfer.setData('text/plain', 'a:1');
        const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
        field.dispatchEvent(drop);
        return drop.defaultPrevented;
      });
      assert.equal(taken, false);
    }),

    ...[
      ['a worker that does not begin', () => { const Before = window.Worker; window.Worker = class extends Before { constructor() { super('none.js'); } }; }, /^48 keys on 4 nodes/],
      ['no workers', () => { delete window.Worker; }, /^48 keys on 4 nodes/],
      ['no WebAssembly', () => { delete window.WebAssembly; }, /The lab cannot begin: this browser has no WebAssembly/],
    ].map(([what, before, said]) => ({
      name: `${name}: with ${what} the page computes by itself, or says why not`,
      run: async () => {
        served ??= serve(binary);
        const page = await open(browser, (await served).url, light, { before });
        await page.getByText(said).waitFor();
        await page.context().close();
      },
    })),

    {
      name: `${name}: without scripts it says that it needs them, and shows no empty page`,
      run: async () => {
        served ??= serve(binary);
        const page = await open(browser, (await served).url, light, { scripts: false });
        assert.match(await page.locator('noscript').innerText(), /needs JavaScript/);
        assert.deepEqual([await page.locator('main').isVisible(), await page.locator('#undo').isVisible()], [false, false]);
        await page.context().close();
      },
    },

    test('a pasted twemproxy file has the shares that clockwise ring prints', async page => {
      const file = join(root, 'examples/twemproxy.yml');
      const ring = spawnSync(binary, ['ring', file, '--format', 'json'], { encoding: 'utf8' });
      assert.equal(ring.status, 0, ring.stderr);
      const { servers } = JSON.parse(ring.stdout);
      assert.ok(servers.length >= 4);
      await page.locator('#own-text').fill(readFileSync(file, 'utf8'));
      await slowed(page);
      await press(page, 'Draw this fleet');
      assert.match(await page.locator('#own-told').innerText(), /twemproxy/);
      for (const server of servers) {
        const { name, share: part } = server;
        assert.ok((await share(page, name)).startsWith(`${(100 * part).toFixed(1)}%`), `${name}: ${await share(page, name)} and ${part}`);
      }
    }),

    test('the page is not ready before what was begun is there, however long a browser takes', async page => {
      await slowed(page);
      for (const [name, said] of [['Copy link', 'Link copied.'], ['Save SVG', 'The ring is saved as SVG.'], ['Save PNG', 'The ring is saved as PNG.']]) {
        await press(page, name);
        assert.equal(await lastNote(page), said);
      }
      // Of one name, so that the second can be told from the first by what it holds alone; and it is used while it is read.
      for (const [text, said] of [['one\ntwo\n', /^2 keys of mine.txt/], ['three\n', /^1 key of mine.txt/]]) {
        await page.evaluate(dropIn, ['mine.txt', text]);
        await press(page, 'Use as keys');
        assert.match(await page.locator('#own-told').innerText(), said);
      }
      // A file that is chosen last is the one that counts, also if another one takes longer.
      await page.evaluate(dropIn, ['long.txt', 'long\n']);
      await page.evaluate(() => { Blob.prototype.text = window.quick; });
      await page.evaluate(dropIn, ['short.txt', 'short\n']);
      await press(page, 'Use as keys');
      assert.match(await page.locator('#own-told').innerText(), /^1 key of short.txt/);
      await press(page, 'Copy as command');
      assert.equal(await lastNote(page), 'Command copied.');
    }),

    test('what cannot be copied is shown', async page => {
      await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
      await joins(page, 'E');
      await press(page, 'Copy link');
      assert.equal(await page.locator('dialog textarea').inputValue(), await address(page));
    }),

    test('the page is not ready before what flies and walks has arrived', async page => {
      await page.emulateMedia({ reducedMotion: 'no-preference' });
      // The page keeps it in mind: a flight may be over before anyone asks.
      await page.evaluate(() => {
        const sky = document.querySelector('.ring-sky');
        new MutationObserver(() => { window.flew ||= !sky.hidden; }).observe(sky, { attributeFilter: ['hidden'] });
      });
      await joins(page, 'E');
      assert.deepEqual(await page.evaluate(() => [window.flew, document.querySelector('.ring-sky').hidden]), [true, true]);
      await choose(page, 'bounded');
      await page.getByLabel('Room above the mean, as a number of per cent').fill('0');
      await page.keyboard.press('Enter');
      await ready(page);
      const walks = page.getByRole('button', { name: 'See it walk' });
      for (const key of await page.locator('.ring .key').all()) {
        if (await walks.count() > 0) break;
        await key.click();
        await ready(page);
      }
      await press(page, 'See it walk');
      assert.match(await page.locator('#walk-told').innerText(), /is full \(\d+ of \d+\) → .* has room/);
      await page.emulateMedia({ reducedMotion: 'reduce' });
    }),

    test('a step of the guide that is answered and left at once keeps nobody waiting', async page => {
      await page.evaluate(() => {
        document.querySelector('#guide .choice').click();
        document.querySelector('#add').click();
      });
      await ready(page);
      assert.match(await sentence(page), /^F joined: 2 of 48/);
      assert.equal(await page.locator('#guide-verdict').innerText(), '');
      assert.equal(await page.locator('#busy').isVisible(), false);
    }),

    test('what cannot be read is told with what helps, and a cluster that was pasted changes more than once', async page => {
      await page.locator('#own-text').fill('10.0.0.1:11211\n10.0.0.2:11211');
      await press(page, 'Draw this fleet');
      await page.locator('#own-told', { hasText: /names no client[^\\]*\nHelp: say how keys are placed/ }).waitFor();
      const master = (at, slots) => `${String(at).repeat(40)} 10.0.0.${at}:6379@16379 master - 0 1 ${at} connected ${slots}\n`;
      await page.locator('#own-text').fill(master(1, '0-5460') + master(2, '5461-10922') + master(3, '10923-16383'));
      await press(page, 'Draw this fleet');
      await page.locator('#own-told', { hasText: 'Redis Cluster: 3 servers' }).waitFor();
      await ready(page);
      await joins(page, '10.0.0.4:6379');
      await leave(page, '10.0.0.2:6379');
      assert.match(await sentence(page), /^10.0.0.2:6379 left: \d+ of 48 keys moved, all from 10.0.0.2:6379/);
    }),

    test('the command it offers gives the same answer', async page => {
      await joins(page, 'E');
      await press(page, 'Copy as command');
      const script = await page.locator('dialog textarea').inputValue();
      assert.match(script, /clockwise plan/);
      const folder = mkdtempSync(join(tmpdir(), 'lab-'));
      try {
        const env = { ...process.env, PATH: `${dirname(binary)}:${process.env.PATH}` };
        const ran = spawnSync('sh', ['-c', script], { encoding: 'utf8', cwd: folder, env });
        assert.match(ran.stdout, /moves 7 of 48 keys/, ran.stderr);
      } finally {
        rmSync(folder, { recursive: true });
      }
    }),

    test('bounded loads: a hot key walks past full nodes', async page => {
      await page.locator('#guide-pick').selectOption({ label: '7. A hot key under bounded loads' });
      await ready(page);
      await press(page, 'It fills up, and the rest walk on');
      assert.match(await page.locator('#guide-verdict').innerText(), /^Yes\./);
      await press(page, 'See it walk');
      assert.match(await page.locator('#walk-told').innerText(), /C is full \(\d+ of \d+\) → .* has room/);
      assert.ok((await page.locator('#shares .cap').count()) === 4);
    }),

    test('a key file that is dropped is read as the command reads it', async page => {
      await drop(page, 'mine.csv', 'requests,key\n10,"al,pha"\n20,beta\n30,gamma\n');
      await press(page, 'Use as keys');
      await page.getByText('3 keys of mine.csv, read as csv. The first: al,pha, beta, gamma.').waitFor();
      await ready(page);
      assert.match(await sentence(page), /^3 keys on 4 nodes/);
      for (const [bytes, said] of [['a\0b\n', 'NUL bytes'], [[0x63, 0x61, 0x66, 0xe9], 'not text in UTF-8'], ['', 'holds no keys']]) {
        await drop(page, 'odd.txt', bytes);
        await press(page, 'Use as keys');
        await page.locator('#own-told', { hasText: said }).waitFor();
        assert.match(await sentence(page), /^3 keys on 4 nodes/);
      }
      await drop(page, 'odd.yml', [0x63, 0x61, 0x66, 0xe9]);
      await press(page, 'Draw this fleet');
      await page.locator('#own-told', { hasText: 'not text in UTF-8' }).waitFor();
    }),

    test('a long text that is pasted does not hold up the page, and is read whole', async page => {
      const keys = Array.from({ length: 40_000 }, (_, at) => `pasted:${at}`).join('\n');
      await page.locator('#own-text').evaluate((field, text) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', text);
        field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      }, keys);
      await page.getByText('pasted, 508,889 bytes').waitFor();
      assert.ok((await page.locator('#own-text').inputValue()).length < 3_000);
      await press(page, 'Use as keys');
      await page.getByText('40,000 keys of pasted, read as lines.').waitFor();
    }),

    test('many keys of a file are placed without passing through the page', async page => {
      await drop(page, 'many.txt', Array.from({ length: 5_000 }, (_, at) => `key:${at}\n`).join(''));
      await press(page, 'Use as keys');
      await page.getByText('5,000 keys of many.txt, read as lines.').waitFor();
      await joins(page, 'E');
      await settled(page);
      assert.match(await sentence(page), /^E joined: [\d,]+ of 5,000 keys moved/);
      assert.equal(await figure(page, 'moved'), await cell(page, 'ring moved'));
      assert.equal(new URL(await address(page)).hash, '');
      await choose(page, 'rendezvous');
      await press(page, 'Undo');
      await press(page, 'Undo');
      assert.match(await sentence(page), /^5,000 keys on 4 nodes/);
    }),

    test('what was undone can be done again, and nothing can be undone at first', async page => {
      const both = async () => [await page.locator('#undo').isEnabled(), await page.locator('#redo').isEnabled()];
      assert.deepEqual(await both(), [false, false]);
      await joins(page, 'E');
      await joins(page, 'F');
      await press(page, 'Undo');
      assert.match(await sentence(page), /^E joined/);
      await press(page, 'Redo');
      assert.match(await sentence(page), /^F joined/);
      await press(page, 'Undo');
      await page.keyboard.press('Control+Shift+z');
      await ready(page);
      assert.match(await sentence(page), /^F joined/);
      await press(page, 'Undo');
      await leave(page, 'A');
      assert.deepEqual(await both(), [true, false], 'another way was taken');
    }),

    test('names are texts and nothing else, and none turns a line around', async page => {
      assert.match(await page.locator('#chips').innerText(), /<img src=x id=bad>/);
      assert.equal(await page.locator('img').count(), 0);
      assert.match(await page.locator('#chips').innerText(), /\\u\{202e\}gpj/);
      assert.doesNotMatch(await page.locator('main').innerText(), /\u202e/);
    }, '#v1&f=%3Cimg%20src%3Dx%20id%3Dbad%3E,%E2%80%AEgpj&b=%E2%80%AEgpj'),

    test('long names are told apart wherever they stand', async page => {
      for (const list of ['#chips .name', '#shares .name']) {
        const names = await page.locator(list).evaluateAll(found =>
          found.map(element => (element.scrollWidth > element.clientWidth + 1 ? 'cut off' : element.textContent)));
        assert.deepEqual(names, ['…0001…', '…0002…', '…0003…'].map((name, at) => `${'ABC'[at]} ${name}`));
      }
      assert.match(await sentence(page), /^…0003… joined: \d+ of 12 keys moved/);
      assert.equal(await page.locator('#add').innerText(), 'Add node …0004…');
    }, LOOKS[2]),

    ...[['four nodes', ''], ['thirty', `#v1&f=${Array.from({ length: 30 }, (_, at) => `n${at}`).join(',')}`], ['bounded loads', '#v1&f=A,B,C;s=bounded&b=A,B;s=bounded']].map(
      ([what, path]) => test(`no card is half empty: ${what}`, async page => {
        await settled(page);
        await laidOut(page);
        assert.deepEqual(await hollow(page, 72), []);
        const [side, stage, place, look] = await page.locator('.side, .stage, .place, .look').evaluateAll(found => found.map(one => one.getBoundingClientRect().bottom));
        assert.ok(Math.abs(side - stage) < 2 && Math.abs(place - look) < 2, `${[side, stage, place, look]}`);
      }, path)),

    test('the ring is saved as SVG and as PNG', async page => {
      for (const [button, start] of [['Save SVG', '<svg'], ['Save PNG', '\x89PNG']]) {
        const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button }).click()]);
        const bytes = readFileSync(await saved.path(), 'latin1');
        assert.ok(bytes.startsWith(start), bytes.slice(0, 20));
        assert.ok(bytes.length > 5_000);
        // The ninth node is striped there as well.
        if (start === '<svg') assert.match(bytes, /<pattern id="fill-0-1"[^]*fill="url\(#fill-0-1\)"/);
      }
    }, '#v1&f=A,B,C,D,E,F,G,H,I&b=A,B,C,D,E,F,G,H'),

    test('more than eight nodes are told apart by letter and pattern', async page => {
      const marks = await page.locator('#chips .swatch').evaluateAll(found => found.map(element => element.className));
      assert.equal(new Set(marks).size, 20);
      const signs = await page.locator('#shares .name').allInnerTexts();
      assert.equal(new Set(signs).size, 20);
    }, `#v1&f=${[...'ABCDEFGHIJKLMNOPQRST'].join(',')}`),

    ...[light, dark].map(reader => ({
      name: `${name}, ${reader.name}: no two colours of nodes look alike, whichever cones an eye has`,
      run: on(reader, '', async page => {
        const colours = await page.evaluate(() => Array.from({ length: 8 }, (_, at) => document.documentElement.style.getPropertyValue(`--n${at}`)));
        const { distance, pair, eye } = closest(colours);
        assert.ok(distance > 9.5, `${pair.map(at => colours[at])}: ${distance.toFixed(1)}, ${eye}`);
      }),
    })),

    test('the ring is one thing to choose a key from, and a screen reader has the rest in tables', async page => {
      const list = page.getByRole('listbox', { name: 'Keys on the ring' });
      assert.equal(await list.getByRole('option').count(), 48);
      assert.equal(await list.getByRole('option', { selected: true }).getAttribute('aria-label'), 'user:42, 50°, owner C');
      await list.getByRole('option', { name: 'user:7,' }).click();
      await ready(page);
      assert.equal(await list.getByRole('option', { selected: true }).getAttribute('aria-label'), 'user:7, 207°, owner D');
      assert.equal(await page.locator('[data-fact="owner"]').innerText(), 'D');
      await joins(page, 'E');
      // The table says the same as the ring, in its order.
      const rows = await page.locator('#ring-table table').nth(2).locator('tbody tr').evaluateAll(rows =>
        rows.map(row => [...row.children].map(cell => cell.textContent)).map(([key, at, owner, before]) => `${key}, ${at}, owner ${owner}${before && `, moved from ${before}`}`));
      assert.deepEqual(await list.getByRole('option').evaluateAll(found => found.map(one => one.getAttribute('aria-label'))), rows);
      const headings = await page.locator('h1, h2, h3').evaluateAll(found => found.map(one => one.tagName));
      assert.deepEqual([headings[0], headings.slice(1).every(tag => tag === 'H2')], ['H1', true]);
    }),

    {
      name: `${name}: the exported page opens from a disk, without a server`,
      run: async () => {
        const folder = mkdtempSync(join(tmpdir(), 'lab-'));
        try {
          const ran = spawnSync(binary, ['lab', '--export', folder], { encoding: 'utf8' });
          assert.equal(ran.status, 0, ran.stderr);
          // It needs no file beside it.
          for (const name of ['index.html', 'lab.js', 'lab.css', 'lab.wasm']) rmSync(join(folder, name));
          const page = await open(browser, `${pathToFileURL(join(folder, 'offline.html'))}#v1&f=A,B,C,D,E&b=A,B,C,D`, light);
          await ready(page);
          assert.match(await sentence(page), /E joined: 7 of 48 keys moved/);
          // The second one has answered as well, once the comparison is there.
          await settled(page);
          assert.ok(page.workers().length >= 2, 'it computes beside the page');
          complaints.push(...page.complaints);
          await page.context().close();
        } finally {
          rmSync(folder, { recursive: true });
        }
      },
    },

    ...READERS.map((reader, at) => ({
      name: `${name}, ${reader.name}: axe finds nothing, nothing is wider than the window, no signs overlap`,
      run: on(reader, LOOKS[at % LOOKS.length], async page => {
        await settled(page);
        await page.evaluate(() => document.querySelectorAll('details').forEach(one => { one.open = true; }));
        assert.notEqual(await page.locator('#node-table tbody tr').count(), 0, 'what is folded out is there');
        await laidOut(page);
        // Tables are in the page also while the ring is shown, and axe reads them there.
        assert.deepEqual(await violations(page), []);
        assert.deepEqual(await overflow(page), []);
        assert.deepEqual((await overlaps(page)).found, []);
        assert.deepEqual((await covered(page)).found, []);
        await page.getByRole('button', { name: 'Table' }).click();
        assert.deepEqual(await overflow(page), []);
      }),
    })),

    {
      name: `${name}: on the smallest phone no sign covers another, and keys without room for theirs are dots`,
      run: on(phone, '', async page => {
        const fleets = [[...'ABCDEFGHIJKL'], Array.from({ length: 40 }, (_, at) => `n${10 + at}`)];
        // The last width is that of the reader.
        for (const [width, least] of [[320, 40], [360, 44]]) {
          await resize(page, width, 740);
          for (const names of fleets) {
            await page.evaluate(names => { location.hash = `#v1&f=${names}`; }, names);
            await page.getByText(`48 keys on ${names.length} nodes`).first().waitFor();
            await ready(page);
            await laidOut(page);
            assert.deepEqual((await overlaps(page)).found, [], `${width}, ${names}`);
            const { found, letters } = await covered(page);
            assert.deepEqual(found, [], `${width}, ${names}`);
            assert.ok(letters >= least && letters < 48, `${letters} letters`);
            assert.equal(await page.locator('.ring [role="option"]').count(), 48);
          }
        }
      }),
    },

    {
      name: `${name}: every panel is fit for all on a phone`,
      run: on(phone, '', async page => {
        await joins(page, 'E');
        await page.locator('#node-details summary').click();
        // The last width is that of the reader.
        for (const width of [320, 360]) {
          await resize(page, width, 740);
          for (const tab of await page.getByRole('tab').all()) {
            await tab.click();
            await settled(page);
            await laidOut(page);
            assert.deepEqual(await overflow(page), [], `${width}, ${await tab.innerText()}`);
          }
          // Both counts of a change, and all that can be set, without scrolling.
          for (const box of ['#compare', '#node-table']) {
            assert.equal(await page.locator(box).evaluate(box => box.scrollWidth - box.clientWidth), 0, `${width}, ${box}`);
          }
        }
        const compare = page.locator('#compare');
        assert.match(await compare.locator('thead').innerText(), /of 100,000 moved/);
        // A product's rule may be longer than the window.
        await page.getByRole('tab').first().click();
        await page.locator('#own-text').fill(readFileSync(join(root, 'fuzz/corpus/haproxy/bounded.cfg'), 'utf8'));
        await press(page, 'Draw this fleet');
        assert.match(await page.locator('#scheme-about').innerText(), /hash_balance_factor/);
        assert.deepEqual(await overflow(page), []);
        assert.equal(await page.locator('#add').innerText(), 'Add node c');
        // All at once, since axe takes its time.
        await page.evaluate(() => document.querySelectorAll('.panel').forEach(panel => { panel.hidden = false; }));
        assert.deepEqual(await violations(page), []);
      }),
    },

    // Alone: beside another page its frames would tell of both.
    {
      ...test('50 nodes of 1,000 tokens are dragged', async page => {
        const times = await page.evaluate(async () => {
          const range = document.querySelector('#tokens');
          const frames = [];
          let running = true;
          let last = performance.now();
          const frame = now => {
            frames.push(now - last);
            last = now;
            if (running) requestAnimationFrame(frame);
          };
          requestAnimationFrame(frame);
          for (let step = 0; step <= 300; step += 5) {
            range.value = String(step);
            range.dispatchEvent(new Event('input', { bubbles: true }));
            await new Promise(requestAnimationFrame);
          }
          range.dispatchEvent(new Event('change', { bubbles: true }));
          running = false;
          return frames.sort((a, b) => a - b);
        });
        await ready(page);
        const at = part => times[Math.min(times.length - 1, Math.floor(part * times.length))].toFixed(0);
        console.log(`${name}: 50 nodes from 1 to 1,000 tokens, ${times.length} frames: median ${at(0.5)} ms, 95% ${at(0.95)} ms, longest ${at(1)} ms`);
        assert.equal(await page.getByLabel('Tokens per node, as a number').inputValue(), '1000');
        // What a drag leaves out is there when it rests.
        const shown = await page.locator('#shares .value').allInnerTexts();
        const told = await page.locator('#ring-table table').first().locator('tbody tr').evaluateAll(rows => rows.map(row => `${row.children[2].textContent} · ${row.children[3].textContent} key`));
        assert.deepEqual(shown.map(text => text.replace(/s$/, '')), told);
        assert.equal(await page.locator('#ring-table td').first().innerText(), '1,000');
      }, `#v1&f=${Array.from({ length: 50 }, (_, at) => `n${at}`).join(',')}`),
      last: true,
    },

    {
      last: true,
      name: `${name}: the console was silent, and nothing was fetched from elsewhere`,
      run: async () => {
        (await served)?.stop();
        assert.deepEqual([...complaints, ...opened.flatMap(page => page.complaints)], []);
      },
    },
  ];
}
