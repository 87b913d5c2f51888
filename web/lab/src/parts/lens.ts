// One key under the lens: its hash, where that falls, who owns it and why. Under bounded loads its walk
// past full nodes can be seen.

import type { App, Part } from '../app.ts';
import type { KeyFigures, View } from '../core.ts';
import { $, h, replace, type Child } from '../dom.ts';
import { count, plural } from '../format.ts';
import { who } from './marks.ts';

/** So many nodes are named in a line. */
const IN_LINE = 4;

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
    const row = (names: string[]): Child[] => names.flatMap((name, at): Child[] => [at > 0 && ', then ', who(app, name)]);
    const facts: [string, Child[]][] = [['owner', [who(app, key.owner)]]];
    if (key.replicas_refused !== '') facts.push(['replicas', [key.replicas_refused]]);
    else if (key.replicas.length > 1) {
      const { spread, fleet } = app.state;
      const zones = new Set(fleet.nodes.filter((node) => node.weight > 0 && node.zone !== '').map((node) => node.zone)).size;
      const few = spread && zones < key.replicas.length;
      const told = zones === 0 ? ' (no node has a zone)' : ` (${plural(zones, 'zone')} for ${key.replicas.length} replicas: some share one)`;
      facts.push(['replicas', [...row(key.replicas), few && told]]);
    }
    const next = key.preference.filter((name) => name !== key.owner && !key.replicas.includes(name));
    if (next.length > 0) facts.push(['next in line', [...row(next.slice(0, IN_LINE)), next.length > IN_LINE && ' …']]);
    if (key.scores.length > 0) {
      const best = key.scores.slice(0, IN_LINE).flatMap((score, at): Child[] => [at > 0 && ', ', `${app.look(score.node).short} `, h('code', {}, score.hash)]);
      facts.push(['scores', [...best, key.scores.length > IN_LINE && ' …']]);
    }
    // Most reasons begin with the hash; a product's rule may not.
    const why = key.why.map((reason) => app.told(reason));
    if (!why.some((reason) => reason.includes(key.hash))) facts.push(['hash', [h('code', {}, key.hash), ` by ${key.hash_name}`]]);
    const walks = key.walk.length > 1;
    const see = h('button', { type: 'button', 'data-key': 'walk' }, 'See it walk');
    see.addEventListener('click', walk);
    replace(
      out,
      h('dl', { class: 'facts' }, ...facts.flatMap(([title, value]) => [h('dt', {}, title), h('dd', { 'data-fact': title }, ...value)])),
      h('ul', { class: 'why' }, ...why.map((reason) => h('li', {}, reason))),
      walks && h('p', { class: 'row walk-row' }, see, h('span', { id: 'walk-told', role: 'status' })),
    );
  }

  function walk(): void {
    const key = last;
    if (!key) return;
    const told: string[] = [];
    app.ring.walk(key, (step) => {
      const stop = key.walk[step];
      if (!stop) return;
      told.push(`${app.look(stop.node).short} ${stop.full ? 'is full' : 'has room'} (${count(stop.load)} of ${count(stop.limit)})`);
      const place = document.getElementById('walk-told');
      if (place) place.textContent = told.join(' → ');
    });
  }

  return {
    view(_: App, view: View): void {
      // Of many tokens an answer takes as long as the figures, and a drag has no time for both.
      if (!app.dragging || view.band !== 'bins') {
        ask();
        return;
      }
      app.ring.trace(null);
      app.engine.later('key', 250, ask);
    },
  };
}
