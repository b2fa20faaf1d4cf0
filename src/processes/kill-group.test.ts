import { afterEach, expect, it, vi } from 'vitest';
import { killGroup } from './kill-group.ts';

afterEach(() => vi.restoreAllMocks());

it.each(['ESRCH', 'EPERM'])('lets a group be that answers %s', (code) => {
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error(code), { code });
  });
  killGroup(12_345, 'SIGKILL');
  expect(kill).toHaveBeenCalledOnce();
});

it('throws what is our own mistake', () => {
  vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error('EINVAL'), { code: 'EINVAL' });
  });
  expect(() => killGroup(12_345, 'SIGKILL')).toThrow('EINVAL');
});
