// The lab's page, and, in a worker, its core: one script for both.

import { App } from './app.ts';
import { bench } from './bench/bench.ts';
import { $, say } from './dom.ts';
import { Engine } from './engine.ts';
import { actions } from './parts/actions.ts';
import { address } from './parts/address.ts';
import { compare } from './parts/compare.ts';
import { guide } from './parts/guide.ts';
import { legend } from './parts/legend.ts';
import { lens } from './parts/lens.ts';
import { moved } from './parts/moved.ts';
import { nodes } from './parts/nodes.ts';
import { schemes } from './parts/schemes.ts';
import { settings } from './parts/settings.ts';
import { shares } from './parts/shares.ts';
import { asTable } from './parts/table.ts';
import { serve } from './worker.ts';

/** Where this script is, which the workers run as well: of a page of one piece, a copy of what stands in it. */
function own(): string {
  const element = document.currentScript as HTMLScriptElement | null;
  if (!element) return '';
  return element.src || URL.createObjectURL(new Blob([element.textContent ?? ''], { type: 'text/javascript' }));
}
const script = typeof document === 'undefined' ? '' : own();
/** What takes longer is said to be under way. */
const BUSY_MS = 400;

async function page(): Promise<void> {
  const { dataset } = document.body;
  let busy = 0;
  const engine = await Engine.start(script, ({ ready, settled, computing }) => {
    dataset.ready = String(ready);
    dataset.settled = String(settled);
    window.clearTimeout(busy);
    if (!computing) $('busy').hidden = true;
    else busy = window.setTimeout(() => ($('busy').hidden = false), BUSY_MS);
  });
  const about = await engine.about();
  const app = new App(engine, about, about.start);
  const below = bench(app);
  const lesson = guide(app, about.start, below.open);
  const place = address(app, about.start);
  app.use(lesson, schemes(app), nodes(app), settings(app), moved(app), shares(app), compare(app), lens(app), legend(app), asTable(app), actions(app, about.start), place, below.part);
  document.addEventListener('lab:touched', () => app.trouble('link', ''));
  // Its address would take the place of the page's own.
  document.querySelector('.skip')?.addEventListener('click', (event) => {
    event.preventDefault();
    $('stage').focus();
  });
  const linked = await place.read();
  if (linked) {
    app.state = linked;
    // A link that reads well may still have a fleet that cannot be.
    app.whenEmpty = (why) => {
      app.whenEmpty = undefined;
      app.trouble('link', why);
      lesson.go(0);
    };
    lesson.rest();
    app.refresh();
  } else lesson.go(0);
}

if (typeof document === 'undefined') serve(self as unknown as Parameters<typeof serve>[0]);
else {
  page().catch((error: unknown) => {
    $('trouble').hidden = false;
    say($('trouble'), `The lab cannot begin: ${error instanceof Error ? error.message : String(error)}`);
    document.body.dataset.ready = 'failed';
  });
}
