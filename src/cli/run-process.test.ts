import { describe, expect, it } from 'vitest';
import { stopSignals } from './run-process.ts';

const always = ['SIGINT', 'SIGTERM'];
const status = (mask: string): string =>
  `Name:\tnode\nSigBlk:\t0000000000000000\nSigIgn:\t${mask}\n`;

describe('stopSignals', () => {
  it.each([
    ['in a terminal', status('0000000001001000'), true, [...always, 'SIGHUP']],
    ['in the background', status('0000000001001000'), false, [...always, 'SIGHUP']],
    ['under nohup', status('0000000001001001'), true, always],
    ['without /proc, in a terminal', undefined, true, [...always, 'SIGHUP']],
    ['without /proc, in the background', undefined, false, always],
    ['with another text', 'SigIgn: many', false, always],
    ['with a number beyond 64 bits', status('f'.repeat(17)), false, always],
  ])('on Linux %s', (_, processStatus, isTerminal, signals) => {
    expect(stopSignals({ platform: 'linux', processStatus, isTerminal })).toEqual(signals);
  });

  it('has the events of the console on Windows', () => {
    expect(stopSignals({ platform: 'win32', isTerminal: false })).toEqual([
      ...always,
      'SIGHUP',
      'SIGBREAK',
    ]);
  });
});
