// The study's report: `report.html` of a run, and the gallery, which has every kind of chart with the
// data that is hardest on its layout.

import assert from 'node:assert/strict';
import { READERS, open, violations } from './browser.mjs';
import { overflow, overlaps, paleLetters, smallLetters } from './layout.mjs';

/** Tests of one report at `url`. */
export function tests(browser, name, url) {
  const looks = READERS.flatMap(reader => {
    // One page a reader, with all that can be folded out folded out; the last test closes it.
    let opened;
    const test = (what, run, last = false) => ({
      name: `${name}, ${reader.name}: ${what}`,
      last,
      run: async () => {
        opened ??= open(browser, url, reader);
        await run(await opened);
      },
    });
    return [
      test('nothing is wider than the window, folded out or not', async page => {
        assert.deepEqual(await overflow(page), []);
        await page.evaluate(() => document.querySelectorAll('details').forEach(one => { one.open = true; }));
        assert.deepEqual(await overflow(page), []);
      }),
      test('no texts of a picture overlap, none leaves it, none is small', async page => {
        const { found, pictures } = await overlaps(page);
        assert.deepEqual(found, []);
        assert.ok(pictures >= 1, 'there are pictures');
        assert.deepEqual(await smallLetters(page, 9.5), []);
      }),
      test('letters stand out from what is behind them', async page => {
        assert.deepEqual(await paleLetters(page), []);
      }),
      test('axe finds nothing', async page => {
        assert.deepEqual(await violations(page), []);
      }),
      test('the console is silent and nothing is fetched', async page => {
        await page.context().close();
        assert.deepEqual(page.complaints, []);
      }, true),
    ];
  });
  return [
    ...looks,
    {
      name: `${name}: reads the same without scripts`,
      run: async () => {
        const texts = [];
        for (const scripts of [true, false]) {
          const page = await open(browser, url, READERS[0], scripts);
          texts.push(await page.locator('main').innerText());
          assert.deepEqual(page.complaints, []);
          await page.context().close();
        }
        assert.equal(texts[0], texts[1]);
        assert.ok(texts[0].length > 500, texts[0]);
      },
    },
    {
      name: `${name}: every picture has a name, a description and a table`,
      run: async () => {
        const page = await open(browser, url, READERS[0]);
        const bare = await page.evaluate(() => [...document.querySelectorAll('figure')].filter(figure => {
          const svgs = [...figure.querySelectorAll('svg')];
          // What is numbers alone is a table.
          if (svgs.length === 0) return !figure.querySelector('table');
          const named = svgs.length === 2 && svgs.every(svg => svg.getAttribute('role') === 'img'
            && svg.querySelector('title')?.textContent && svg.querySelector('desc')?.textContent);
          const empty = figure.querySelector('.wide').textContent.includes('Nothing was measured');
          return !named || !(empty || figure.querySelector('table'));
        }).map(figure => figure.querySelector('h3').textContent));
        assert.deepEqual(bare, []);
        await page.context().close();
      },
    },
    {
      name: `${name}: every link of the page leads somewhere, and no name is given twice`,
      run: async () => {
        const page = await open(browser, url, READERS[0]);
        const wrong = await page.evaluate(() => {
          const ids = [...document.querySelectorAll('[id]')].map(node => node.id);
          const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
          const lost = [...document.querySelectorAll('a[href^="#"]')]
            .filter(link => !document.getElementById(link.getAttribute('href').slice(1)))
            .map(link => link.getAttribute('href'));
          return [...twice, ...lost];
        });
        assert.deepEqual(wrong, []);
        await page.context().close();
      },
    },
    {
      name: `${name}: tables that are too wide scroll by keyboard`,
      run: async () => {
        const page = await open(browser, url, READERS[3]);
        const stuck = await page.evaluate(() => [...document.querySelectorAll('.scroll')]
          .filter(box => box.scrollWidth > box.clientWidth && box.tabIndex !== 0).length);
        assert.equal(stuck, 0);
        await page.context().close();
      },
    },
  ];
}
