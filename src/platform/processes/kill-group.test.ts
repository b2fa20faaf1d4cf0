import { afterEach, expect, it, vi } from 'vitest';
import { killGroup, killStep } from './kill-group.ts';

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

it.each(['linux', 'darwin'] as const)('signals the group on %s', (platform) => {
  expect(killStep(platform, 12, 'SIGTERM')).toEqual({
    kind: 'signal',
    target: -12,
    signal: 'SIGTERM',
  });
});

it('ends the process with its descendants on Windows', () => {
  expect(killStep('win32', 12, 'SIGTERM', 'D:\\Win')).toEqual({
    kind: 'program',
    command: 'D:\\Win\\System32\\taskkill.exe',
    arguments: ['/T', '/F', '/PID', '12'],
  });
  expect(killStep('win32', 12, 'SIGKILL')).toMatchObject({
    command: 'C:\\Windows\\System32\\taskkill.exe',
  });
});
