// The study's report: `report.html` of a run, and the gallery, which has every kind of chart with the
// data that is hardest on its layout.

import assert from 'node:assert/strict';
import { READERS, open, violations } from './browser.mjs';
import { overflow, overlaps, paleTexts, smallLetters, thin } from './layout.mjs';

/** For whom axe looks at every figure: pictures are made for a wide window and for a narrow one. */
const WHOLE = ['light', 'phone'];

/** Tests of one report at `url`: a list for each reader's page. */
export function tests(browser, name, url) {
  return READERS.map((reader, nth) => {
    let opened;
    const test = (what, run) => ({
      name: `${name}, ${reader.name}: ${what}`,
      run: async () => {
        opened ??= open(browser, url, reader);
        await run(await opened);
      },
    });
    return [
      test('nothing is wider than the window, folded out or not, and wide tables scroll by keyboard', async page => {
        assert.deepEqual(await overflow(page), []);
        await page.evaluate(() => document.querySelectorAll('details').forEach(one => { one.open = true; }));
        assert.deepEqual(await overflow(page), []);
        const stuck = await page.evaluate(() => [...document.querySelectorAll('.scroll')]
          .filter(box => box.scrollWidth > box.clientWidth && box.tabIndex !== 0).length);
        assert.equal(stuck, 0);
      }),
      test('no texts of a picture overlap, none leaves it, none is small', async page => {
        const { found, pictures } = await overlaps(page);
        assert.deepEqual(found, []);
        assert.ok(pictures >= 1, 'there are pictures');
        assert.deepEqual(await smallLetters(page, 9.5), []);
      }),
      test('letters stand out from what is behind them', async page => {
        const { pale, looked } = await paleTexts(page);
        assert.deepEqual(pale, []);
        assert.ok(looked > 100, `${looked} texts`);
      }),
      // What is written once for all readers.
      ...(nth > 0 ? [] : [
        test('every picture has a name, a description and a table', async page => assert.deepEqual(await bare(page), [])),
        test('reads the same without scripts', async page => {
          const plain = await open(browser, url, reader, { scripts: false });
          const texts = await Promise.all([page, plain].map(one => one.locator('main').evaluate(main => {
            main.querySelectorAll('details').forEach(fold => { fold.open = true; });
            return main.innerText;
          })));
          assert.deepEqual(plain.complaints, []);
          await plain.context().close();
          assert.equal(texts[0], texts[1]);
          assert.ok(texts[0].length > 500, texts[0]);
        }),
        test('what the page refers to is there, and no name is given twice', async page => assert.deepEqual(await lost(page), [])),
      ]),
      // The last, since it takes away what is there again and again.
      test('axe finds nothing', async page => {
        await thin(page, !WHOLE.includes(reader.name));
        assert.deepEqual(await violations(page), []);
      }),
      test('the console is silent and nothing is fetched', async page => {
        await page.context().close();
        assert.deepEqual(page.complaints, []);
      }),
    ];
  });
}

/** Titles of figures that lack what a reader needs who does not see them. */
const bare = page => page.evaluate(() => [...document.querySelectorAll('figure')].filter(figure => {
  const svgs = [...figure.querySelectorAll('svg')];
  // What is numbers alone is a table.
  if (svgs.length === 0) return !figure.querySelector('table');
  const named = svgs.length === 2 && svgs.every(svg => svg.getAttribute('role') === 'img'
    && svg.querySelector('title')?.textContent && svg.querySelector('desc')?.textContent);
  const empty = figure.querySelector('.wide').textContent.includes('Nothing was measured');
  return !named || !(empty || figure.querySelector('table'));
}).map(figure => figure.querySelector('h3').textContent));

/** Names that are given twice, and references, of links and for screen readers, to names that are not given. */
const lost = page => page.evaluate(() => {
  const ids = [...document.querySelectorAll('[id]')].map(node => node.id);
  const given = new Set(ids);
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
  const links = [...document.querySelectorAll('a[href^="#"]')].map(link => link.getAttribute('href').slice(1));
  const said = ['aria-labelledby', 'aria-describedby', 'aria-controls', 'aria-owns', 'headers', 'for'].flatMap(name =>
    [...document.querySelectorAll(`[${name}]`)].flatMap(node => node.getAttribute(name).split(/\s+/)));
  return [...twice, ...[...links, ...said].filter(id => !given.has(id))];
});
