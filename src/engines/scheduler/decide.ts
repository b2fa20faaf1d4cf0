/** A prompt that is ready to be read. */
export interface PromptView {
  /**
   * True if its prefill would delay other requests. Only one such prompt is read at a time. The result may change while
   * the prompt waits, since a state of its beginning may be saved.
   */
  isLong(): boolean;
  /** Cells that the prompt would reserve now; undefined while no slot is free. */
  cellsToStart(): number | undefined;
  /** True if the answer can be continued after the slot was given away. */
  isPausable(): boolean;
}

/** A request that has one of the instance's places. There are as many places as the engine has slots. */
export interface PlaceView {
  /** `preparing`: the prompt is not ready yet; `ready`: waits for a slot; `running`: has a slot. */
  readonly state: 'preparing' | 'ready' | 'running';
  /** If running: the reserved cells. */
  readonly cells: number;
  /** If running: the cells that it needs to continue. If not greater than `cells`, the reservation suffices. */
  readonly wantedCells: number;
  /** True if it is running and waits for its turn of prefill. */
  readonly awaitsPrefill: boolean;
  readonly isPausing: boolean;
  /** Undefined while it is prepared. */
  readonly prompt: PromptView | undefined;
}

/** The requests of one instance, and the engine's capacity. A cell of the KV cache holds one token. */
export interface SchedulerView<View extends PlaceView = PlaceView> {
  /** False until the model's load begins. */
  readonly isOpen: boolean;
  readonly slotCount: number;
  /** Cells of the cache that the slots share; Infinity if each slot has its own cache. */
  readonly totalCells: number;
  /** Cells of slots that are being saved or emptied. */
  readonly busyCells: number;
  /** True while a long prompt is read. */
  readonly isPrefilling: boolean;
  /** Number of requests without a place. */
  readonly waitingCount: number;
  readonly placeCount: number;
  /** In order of arrival. */
  readonly places: Iterable<View>;
}

export type SchedulerAction<View extends PlaceView = PlaceView> =
  /** Gives a place to the next waiting request. */
  | { readonly type: 'assign' }
  /** Gives a slot to the place, and also the turn of prefill if the prompt is long. */
  | { readonly type: 'start'; readonly place: View; readonly isLong: boolean }
  | { readonly type: 'prefill'; readonly place: View }
  /** Raises the reservation to `wantedCells`. */
  | { readonly type: 'grow'; readonly place: View }
  | { readonly type: 'pause'; readonly place: View };

/**
 * Decides what happens next in the queue of an instance; undefined if every request has to wait.
 *
 * 1. A running answer that needs more cells gets them. If there are too few, the youngest answer that can be
 *    continued is paused. No request starts before that, so the oldest answers always reach their end.
 * 2. The turn of prefill goes to a request that has its slot.
 * 3. Requests start in order of arrival if their cells are free. Short prompts overtake a long one that waits for its
 *    turn of prefill. No request overtakes one that waits for cells.
 * 4. A free place goes to the next waiting request.
 */
export function decide<View extends PlaceView>(
  view: SchedulerView<View>,
): SchedulerAction<View> | undefined {
  const action = decideCells(view);
  if (action !== undefined) return action;
  const { isOpen, waitingCount, placeCount, slotCount } = view;
  return isOpen && waitingCount > 0 && placeCount < slotCount ? { type: 'assign' } : undefined;
}

function decideCells<View extends PlaceView>({
  places,
  totalCells,
  busyCells,
  isPrefilling,
}: SchedulerView<View>): SchedulerAction<View> | undefined {
  let usedCells = busyCells;
  let isPausing = false;
  let growing: View | undefined;
  let reader: View | undefined;
  for (const place of places) {
    if (place.state !== 'running') continue;
    usedCells += place.cells;
    if (place.isPausing) isPausing = true;
    else if (place.wantedCells > place.cells) growing ??= place;
    if (place.awaitsPrefill) reader ??= place;
  }
  if (growing !== undefined) {
    const moreCells = growing.wantedCells - growing.cells;
    if (usedCells + moreCells <= totalCells) return { type: 'grow', place: growing };
    // If a request is already pausing, its cells will soon be free.
    const youngest = isPausing ? undefined : youngestPausable(places);
    return youngest && { type: 'pause', place: youngest };
  }
  if (reader !== undefined && !isPrefilling) return { type: 'prefill', place: reader };
  for (const place of places) {
    const { state, prompt } = place;
    if (state !== 'ready' || prompt === undefined) continue;
    const isLong = prompt.isLong();
    if (isLong && isPrefilling) continue;
    const cells = prompt.cellsToStart();
    if (cells === undefined || usedCells + cells > totalCells) return undefined;
    return { type: 'start', place, isLong };
  }
  return undefined;
}

function youngestPausable<View extends PlaceView>(places: Iterable<View>): View | undefined {
  let youngest: View | undefined;
  for (const place of places) {
    if (place.state === 'running' && place.prompt?.isPausable() === true) youngest = place;
  }
  return youngest;
}
