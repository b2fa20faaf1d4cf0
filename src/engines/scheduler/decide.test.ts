import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decide,
  type PlaceView,
  type PromptView,
  type SchedulerAction,
  type SchedulerView,
} from './decide.ts';

interface TestPlace extends PlaceView {
  readonly id: number;
}

interface PlaceOptions extends Partial<
  Pick<PlaceView, 'state' | 'wantedCells' | 'awaitsPrefill' | 'isPausing'>
> {
  readonly cells?: number | undefined;
  readonly isLong?: boolean;
  readonly isPausable?: boolean;
}

/** A place that is ready unless the options set another state. */
function place(id: number, options: PlaceOptions = {}): TestPlace {
  const { isLong = false, isPausable = false, ...changes } = options;
  const cells = 'cells' in options ? options.cells : 10;
  return {
    state: 'ready',
    wantedCells: 0,
    awaitsPrefill: false,
    isPausing: false,
    ...changes,
    id,
    cells: cells ?? 0,
    prompt: { cellsToStart: () => cells, isLong: () => isLong, isPausable: () => isPausable },
  };
}

function running(id: number, cells: number, options: PlaceOptions = {}): TestPlace {
  return place(id, { state: 'running', cells, wantedCells: cells, ...options });
}

type View = SchedulerView<TestPlace>;

function view(places: readonly TestPlace[], changes: Partial<View> = {}): View {
  return {
    isOpen: true,
    slotCount: 4,
    totalCells: 100,
    busyCells: 0,
    isPrefilling: false,
    waitingCount: 0,
    placeCount: places.length,
    places,
    ...changes,
  };
}

interface Expected {
  readonly type: SchedulerAction['type'];
  /** Id of the place that the action concerns. */
  readonly id?: number;
}

type Row = readonly [string, View, Expected | undefined];

const reservations: readonly Row[] = [
  [
    'grows an answer if its cells are free',
    view([running(1, 60, { wantedCells: 100 })]),
    { type: 'grow', id: 1 },
  ],
  [
    'counts the cells of slots that are being emptied',
    view([running(1, 60, { wantedCells: 90 })], { busyCells: 11 }),
    undefined,
  ],
  [
    'pauses the youngest answer that can be continued',
    view([
      running(1, 40, { wantedCells: 60, isPausable: true }),
      running(2, 30, { isPausable: true }),
      running(3, 30),
    ]),
    { type: 'pause', id: 2 },
  ],
  [
    'pauses the answer that grows if it is the only one that can be continued',
    view([running(1, 60), running(2, 40, { wantedCells: 50, isPausable: true })]),
    { type: 'pause', id: 2 },
  ],
  [
    'waits for an answer that is pausing',
    view([
      running(1, 60, { wantedCells: 80, isPausable: true }),
      running(2, 40, { isPausable: true, isPausing: true }),
    ]),
    undefined,
  ],
  [
    'grows no answer that is pausing',
    view([running(1, 60, { wantedCells: 80, isPausing: true })]),
    undefined,
  ],
  [
    'starts nothing while an answer lacks cells',
    view([running(1, 95, { wantedCells: 105 }), place(2, { cells: 1 })]),
    undefined,
  ],
];

const starts: readonly Row[] = [
  ['starts a request', view([place(1)]), { type: 'start', id: 1 }],
  ['starts requests in order of arrival', view([place(1), place(2)]), { type: 'start', id: 1 }],
  ['waits while no slot is free', view([place(1, { cells: undefined }), place(2)]), undefined],
  [
    'lets no request pass one that waits for cells',
    view([running(1, 80), place(2, { cells: 30 }), place(3)]),
    undefined,
  ],
  [
    'lets a short prompt pass a long one that waits for its turn',
    view([place(1, { isLong: true }), place(2)], { isPrefilling: true }),
    { type: 'start', id: 2 },
  ],
  [
    'gives the turn of prefill to a request with a slot first',
    view([running(1, 10, { awaitsPrefill: true }), place(2, { isLong: true })]),
    { type: 'prefill', id: 1 },
  ],
  [
    'gives no second turn of prefill',
    view([running(1, 10, { awaitsPrefill: true }), place(2, { isLong: true })], {
      isPrefilling: true,
    }),
    undefined,
  ],
  ['starts no request that is not prepared', view([place(1, { state: 'preparing' })]), undefined],
];

const assignments: readonly Row[] = [
  ['assigns a free place', view([running(1, 10)], { waitingCount: 1 }), { type: 'assign' }],
  ['assigns none before the load begins', view([], { waitingCount: 1, isOpen: false }), undefined],
  [
    'assigns none if all are taken',
    view([running(1, 10)], { waitingCount: 1, slotCount: 1 }),
    undefined,
  ],
  ['assigns none if no request waits', view([]), undefined],
];

describe('decide', () => {
  it.each([...reservations, ...starts, ...assignments])('%s', (_, assigned, expected) => {
    const action = decide(assigned);
    const found = action && {
      type: action.type,
      ...('place' in action && { id: action.place.id }),
    };
    expect(found).toEqual(expected);
  });
});

const slotCount = 3;
const totalCells = 100;

/** A request in a history. Its fields change like those in `Place`. */
class HistoryPlace implements PlaceView {
  state: PlaceView['state'] = 'preparing';
  cells = 0;
  wantedCells = 0;
  awaitsPrefill = false;
  isPausing = false;
  readonly prompt: PromptView;

  constructor({ cells, isLong }: RequestOptions) {
    this.prompt = { cellsToStart: () => cells, isLong: () => isLong, isPausable: () => true };
  }
}

interface RequestOptions {
  readonly cells: number;
  readonly isLong: boolean;
}

/** An instance's queue, on which random events are replayed. */
class History {
  readonly waiting: RequestOptions[] = [];
  readonly places = new Set<HistoryPlace>();
  readonly started: HistoryPlace[] = [];
  reader: HistoryPlace | undefined;

  get running(): readonly HistoryPlace[] {
    return [...this.places].filter(({ state }) => state === 'running');
  }

  /** Applies decisions until every request has to wait. */
  advance(): void {
    for (let action = this.#decide(); action !== undefined; action = this.#decide()) {
      switch (action.type) {
        case 'assign': {
          const next = this.waiting.shift();
          if (next !== undefined) this.places.add(new HistoryPlace(next));
          break;
        }
        case 'start':
          action.place.state = 'running';
          action.place.cells = action.place.prompt.cellsToStart() ?? 0;
          if (action.isLong) this.reader = action.place;
          this.started.push(action.place);
          break;
        case 'prefill':
          this.reader = action.place;
          action.place.awaitsPrefill = false;
          break;
        case 'grow':
          action.place.cells = action.place.wantedCells;
          break;
        case 'pause':
          action.place.isPausing = true;
          break;
      }
      this.check();
    }
  }

  #decide(): SchedulerAction<HistoryPlace> | undefined {
    return decide({
      isOpen: true,
      slotCount,
      totalCells,
      busyCells: 0,
      isPrefilling: this.reader !== undefined,
      waitingCount: this.waiting.length,
      placeCount: this.places.size,
      places: this.places,
    });
  }

  check(): void {
    assert.ok(this.places.size <= slotCount, 'more places than slots');
    const cells = this.running.reduce((sum, each) => sum + each.cells, 0);
    assert.ok(cells <= totalCells, 'more cells than the cache has');
  }

  /** Gives the request's slot back. A paused request waits again. */
  stop(ended: HistoryPlace): void {
    if (this.reader === ended) this.reader = undefined;
    if (ended.isPausing) {
      ended.isPausing = false;
      ended.state = 'ready';
      ended.cells = 0;
      ended.wantedCells = 0;
    } else this.places.delete(ended);
  }
}

const request = fc.record({ cells: fc.integer({ min: 1, max: 60 }), isLong: fc.boolean() });
const step = fc.oneof(
  fc.record({ type: fc.constant('arrive' as const), request }),
  fc.record({
    type: fc.constantFrom('prepare', 'read', 'grow', 'end', 'cancel'),
    pick: fc.nat(slotCount - 1),
    cells: fc.integer({ min: 1, max: 30 }),
  }),
);

describe('any history', () => {
  it('keeps the reservations within the cache, and gives every request its slot', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const history = new History();
        for (const each of steps) {
          if (each.type === 'arrive') history.waiting.push(each.request);
          else happen(history, each.type, each.pick, each.cells);
          history.advance();
        }
        // From here on, no request arrives, and the running ones end, so all must come to an end.
        for (let round = 0; history.places.size + history.waiting.length > 0; round += 1) {
          expect(round).toBeLessThan(500);
          for (const each of history.places) if (each.state === 'preparing') each.state = 'ready';
          history.advance();
          const [oldest] = history.running.toSorted(
            (one, other) => Number(other.isPausing) - Number(one.isPausing),
          );
          if (oldest !== undefined) history.stop(oldest);
          history.advance();
        }
      }),
    );
  });
});

function happen(history: History, type: string, pick: number, cells: number): void {
  const found = [...history.places][pick];
  if (found === undefined) return;
  if (type === 'prepare' && found.state === 'preparing') found.state = 'ready';
  if (type === 'read' && history.reader === found) history.reader = undefined;
  const isRunning = found.state === 'running' && !found.isPausing;
  if (type === 'grow' && isRunning) found.wantedCells = Math.min(totalCells, found.cells + cells);
  if (type === 'end' && found.state === 'running') history.stop(found);
  if (type === 'cancel' && !found.isPausing) history.stop(found);
}
