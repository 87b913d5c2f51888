// One key under the lens: its hash, where that falls, who owns it and why. Under bounded loads its walk
// past full nodes can be seen.

import type { App, Part } from '../app.ts';
import type { KeyFigures } from '../core.ts';
import { $, h, replace, type Child } from '../dom.ts';
import { who } from './marks.ts';

export function lens(app: App): Part {
  const form = $<HTMLFormElement>('lens');
  const input = $<HTMLInputElement>('lens-key');
  const out = $('lens-out');
  let last: KeyFigures | undefined;

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    app.inspect(input.value);
  });
  document.addEventListener('lab:key', () => {
    input.value = app.key;
    ask();
  });

  function ask(): void {
    app.answer('key', app.engine.key(app.state, app.key), (key) => {
      last = key;
      draw(key);
      app.ring.trace(key);
    });
  }

  function draw(key: KeyFigures): void {
    const facts: [string, Child[]][] = [
      ['hash', [h('code', {}, key.hash), ` by ${key.hash_name}, ${key.degrees.toFixed(1)}° clockwise from the top`]],
    ];
    if (key.token) {
      const text = key.token.text === '' ? [] : [h('code', {}, key.token.text), ', '];
      facts.push(['token', [...text, `at ${key.token.degrees.toFixed(1)}°, of ${key.token.node}`]]);
    }
    if (key.slot) facts.push(['slot', [`${key.slot.number.toLocaleString('en-US')} of ${key.slot.of.toLocaleString('en-US')}`]]);
    facts.push(['owner', [who(app, key.owner), key.was !== null && key.was !== key.owner ? ` (before the change ${key.was})` : '']]);
    if (key.replicas_refused !== '') facts.push(['replicas', [key.replicas_refused]]);
    else if (key.replicas.length > 1) facts.push(['replicas', key.replicas.flatMap((name, at): Child[] => [at > 0 && ', then ', who(app, name)])]);
    if (key.scores.length > 0) {
      const best = key.scores.slice(0, 4).flatMap((score, at): Child[] => [at > 0 && ', ', `${score.node} `, h('code', {}, score.hash)]);
      facts.push(['scores', [...best, key.scores.length > 4 && ' …']]);
    }
    const walks = key.walk.length > 1;
    const see = h('button', { type: 'button', 'data-key': 'walk' }, 'See it walk');
    see.addEventListener('click', () => void walk());
    replace(
      out,
      h('dl', { class: 'facts' }, ...facts.flatMap(([title, value]) => [h('dt', {}, title), h('dd', { 'data-fact': title }, ...value)])),
      h('ul', { class: 'why' }, ...key.why.map((reason) => h('li', {}, reason))),
      walks && h('p', { class: 'row walk-row' }, see, h('span', { id: 'walk-told', role: 'status' })),
    );
  }

  async function walk(): Promise<void> {
    const key = last;
    if (!key) return;
    const told: string[] = [];
    await app.ring.walk(key, (step) => {
      const stop = key.walk[step];
      if (!stop) return;
      told.push(stop.full ? `${stop.node} is full (${stop.load} of ${stop.limit})` : `${stop.node} has room (${stop.load} of ${stop.limit})`);
      const place = document.getElementById('walk-told');
      if (place) place.textContent = told.join(' → ');
    });
  }

  return {
    view(): void {
      ask();
    },
  };
}
