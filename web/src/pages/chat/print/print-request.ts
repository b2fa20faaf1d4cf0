import { createStore } from '../../../api/store.ts';

/** Id of the conversation that is printed as soon as the page shows it. */
export const printRequest = createStore<string | undefined>(undefined);
