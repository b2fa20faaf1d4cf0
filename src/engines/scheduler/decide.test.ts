import { describe, expect, it } from 'vitest';
import { decide, type PlaceView, type SchedulerAction, type SchedulerView } from './decide.ts';

function place(id: number, changes: Partial<PlaceView> = {}): PlaceView {
  return {
    id,
    state: 'ready',
    cells: 10,
    wantedCells: 0,
    isLong: false,
    awaitsPrefill: false,
    isPausable: false,
    isPausing: false,
    ...changes,
  };
}

function running(id: number, cells: number, changes: Partial<PlaceView> = {}): PlaceView {
  return place(id, { state: 'running', cells, wantedCells: cells, ...changes });
}

function view(places: readonly PlaceView[], changes: Partial<SchedulerView> = {}): SchedulerView {
  return {
    isOpen: true,
    slotCount: 4,
    totalCells: 100,
    busyCells: 0,
    isPrefilling: false,
    waitingCount: 0,
    places,
    ...changes,
  };
}

type Row = readonly [string, SchedulerView, SchedulerAction | undefined];

const cells: readonly Row[] = [
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
  it.each([...cells, ...starts, ...assignments])('%s', (_, assigned, action) => {
    expect(decide(assigned)).toEqual(action);
  });
});
