// The guide at the top: a step is set up, a question asked, and the answer seen. At the first touch of
// anything else the page is yours, and the guide waits.

import type { App, Part } from '../app.ts';
import type { State, View } from '../core.ts';
import { $, h, replace, say, still } from '../dom.ts';
import { STEPS, type Step } from '../steps.ts';

/** For those who look around by themselves. */
const IDEAS = [
  'More tokens per node: the bars draw level.',
  'Take away the node with the most keys.',
  'Choose another scheme in the comparison.',
  'Paste your own fleet, below.',
];

export interface Guide extends Part {
  /** Begins a step. */
  go(at: number): void;
  /** Shows the guide without touching the state, as on a page opened by a link. */
  rest(): void;
}

export function guide(app: App, start: State, openPanel: (name: string) => void): Guide {
  let at = 0;
  let resting = false;
  /** Told of the next view, once the step has been carried out. */
  let awaited: ((view: View) => void) | null = null;
  const pick = $<HTMLSelectElement>('guide-pick');
  STEPS.forEach((step, number) => pick.append(h('option', { value: number }, `${number + 1}. ${step.title}`)));
  pick.addEventListener('change', () => go(Number(pick.value)));
  $('guide-back').addEventListener('click', () => go(at - 1));
  $('guide-next').addEventListener('click', () => go(at + 1));
  document.addEventListener('lab:touched', () => {
    awaited = null;
    if (!resting) rest();
  });

  function frame(step: Step): void {
    $('guide-scene').querySelector('.way')?.remove();
    say($('guide-place'), `Step ${at + 1} of ${STEPS.length}`);
    say($('guide-title'), step.title);
    pick.value = String(at);
    $<HTMLButtonElement>('guide-back').disabled = at === 0;
    $<HTMLButtonElement>('guide-next').disabled = at === STEPS.length - 1;
  }

  function go(to: number): void {
    at = Math.max(0, Math.min(STEPS.length - 1, to));
    resting = false;
    awaited = null;
    const step = STEPS[at]!;
    frame(step);
    say($('guide-text'), step.text);
    replace($('guide-verdict'));
    replace($('guide-ideas'), 'Guess first: what happens is told here.');
    $('guide-next').classList.remove('main');
    const buttons = step.choices.map((choice) => {
      const button = h('button', { type: 'button', class: 'choice' }, choice);
      button.addEventListener('click', () => {
        if (button.getAttribute('aria-disabled') !== 'true') answer(step, choice);
      });
      return button;
    });
    replace($('guide-ask'), h('div', { class: 'choices', role: 'group', 'aria-label': step.question }, h('p', { class: 'question' }, step.question), ...buttons));
    app.change(step.prepare(start), { guided: true });
    if (step.key) app.inspect(step.key);
  }

  function answer(step: Step, guess: string): void {
    // Still there for the focus, which is on one of them.
    for (const button of $('guide-ask').querySelectorAll('button')) button.setAttribute('aria-disabled', 'true');
    // Taken over from the figures: if they do not come, or something else is touched before, nobody waits for the rest.
    awaited = (view) => {
      app.engine
        .until(Promise.all([step.right(view, app), step.lesson(view, app)]))
        .then(([right, lesson]) => {
          if (resting || STEPS[at] !== step) return;
          for (const button of $('guide-ask').querySelectorAll('button')) {
            if (button.textContent === right) button.dataset.right = 'true';
            else if (button.textContent === guess) button.dataset.right = 'false';
          }
          replace($('guide-ideas'));
          replace($('guide-verdict'), h('b', {}, guess === right ? 'Yes. ' : 'Not quite. '), lesson);
          $('guide-next').classList.add('main');
          if (step.panel) $('guide-scene').append(wayTo(step.panel));
        })
        .catch((error: unknown) => say($('guide-verdict'), String(error)));
    };
    app.change(step.act(app.state), { guided: true, fly: true });
    if (step.key) app.inspect(step.key);
    if (step.panel) openPanel(step.panel);
  }

  /** Takes one to the panel that a step speaks of, which is further down. */
  function wayTo(panel: string): HTMLElement {
    const tab = $(`tab-${panel}`);
    const way = h('button', { type: 'button', class: 'main way' }, `See it in “${tab.textContent}” below`);
    way.addEventListener('click', () => {
      openPanel(panel);
      tab.scrollIntoView({ block: 'start', behavior: still() ? 'auto' : 'smooth' });
      tab.focus({ preventScroll: true });
    });
    return way;
  }

  function rest(): void {
    resting = true;
    $('guide-next').classList.remove('main');
    const step = STEPS[at]!;
    frame(step);
    say($('guide-title'), 'The lab is yours');
    say($('guide-text'), 'Change anything: every figure follows. The guide waits where you left it.');
    const ways = [at, at + 1].flatMap((to) => {
      const next = STEPS[to];
      if (!next) return [];
      const way = h('button', { type: 'button' }, `Step ${to + 1}: ${next.title}`);
      way.addEventListener('click', () => {
        go(to);
        $('guide-ask').querySelector('button')?.focus();
      });
      return [way];
    });
    replace($('guide-ask'), h('div', { class: 'choices' }, h('p', { class: 'question' }, 'Back to the guide'), ...ways));
    replace($('guide-verdict'));
    replace($('guide-ideas'), 'Things to try', h('ul', {}, ...IDEAS.map((idea) => h('li', {}, idea))));
  }

  return {
    go,
    rest,
    view(_: App, view: View): void {
      // During a drag an older answer may come first.
      if (app.viewed !== app.state) return;
      const told = awaited;
      awaited = null;
      told?.(view);
    },
  };
}
