import { afterEach, expect, it, vi } from 'vitest';
import { killGroup } from './kill-group.ts';

afterEach(() => vi.restoreAllMocks());

it.each(['ESRCH', 'EPERM'])('ignores the error %s of a group', (code) => {
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error(code), { code });
  });
  killGroup(12_345, 'SIGKILL');
  expect(kill).toHaveBeenCalledOnce();
});

it('throws other errors', () => {
  vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error('EINVAL'), { code: 'EINVAL' });
  });
  expect(() => killGroup(12_345, 'SIGKILL')).toThrow('EINVAL');
});
