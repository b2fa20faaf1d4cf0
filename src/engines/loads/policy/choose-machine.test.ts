import { expect, it } from 'vitest';
import { chooseMachine, type Standing } from './choose-machine.ts';

it.each<[(Standing | undefined)[], number]>([
  [['loaded', 'loaded'], 0],
  [['memory', 'loaded'], 1],
  [['gpu', 'loaded'], 1],
  [['loaded', 'gpu'], 0],
  [['gpu', 'gpu'], 0],
  [['memory', 'gpu'], 1],
  [['memory', 'memory'], 0],
  [['none', 'memory'], 1],
  [['none', 'none'], 0],
  [['none', undefined], 0],
  [['memory', undefined], 0],
  [[undefined, 'none'], 1],
  [[undefined, undefined], 0],
  [['memory', 'gpu', 'loaded'], 2],
  [['memory', undefined, 'gpu'], 2],
  [['none'], 0],
])('%j runs on machine %i', (machines, expected) => {
  expect(chooseMachine(machines)).toBe(expected);
});
