import { dirname, join } from 'node:path/posix';
import { run, tryRun, type ServiceDefinition, type ServiceFacts } from './service-definition.ts';
import { serviceUser, stateFolder, sysusersFile, systemdUnit } from './systemd-unit.ts';

const unit = 'hearth.service';
const sysusers = '/etc/sysusers.d/hearth.conf';

/** The service under systemd. */
export function systemdService(facts: ServiceFacts): ServiceDefinition {
  const { home, serviceFolder, user } = facts;
  const isSystem = facts.scope === 'system';
  const file = join(serviceFolder, unit);
  const systemctl = isSystem ? ['systemctl'] : ['systemctl', '--user'];
  const unitFile = { type: 'file', path: file, content: systemdUnit(facts) } as const;
  return {
    name: unit,
    file,
    files: isSystem
      ? [
          { type: 'folder', path: dirname(sysusers) },
          { type: 'file', path: sysusers, content: sysusersFile(home) },
          unitFile,
        ]
      : [
          { type: 'folder', path: home, isPrivate: true },
          { type: 'folder', path: serviceFolder },
          unitFile,
        ],
    register: [
      ...(isSystem
        ? [
            run('systemd-sysusers', sysusers),
            ...(home === stateFolder
              ? []
              : [run('install', '-d', '-m', '0700', '-o', serviceUser, '-g', serviceUser, home)]),
          ]
        : []),
      run(...systemctl, 'daemon-reload'),
      run(...systemctl, 'enable', unit),
    ],
    start: [run(...systemctl, 'start', unit)],
    restart: [run(...systemctl, 'restart', unit)],
    uninstall: [
      // A unit whose file was removed by hand may still run, and cannot be disabled.
      tryRun(...systemctl, 'stop', unit),
      tryRun(...systemctl, 'disable', unit),
      { type: 'remove', path: file },
      ...(isSystem ? [{ type: 'remove', path: sysusers } as const] : []),
      run(...systemctl, 'daemon-reload'),
      tryRun(...systemctl, 'reset-failed', unit),
    ],
    stateCommand: [...systemctl, 'show', '--property=ActiveState', '--value', unit],
    logsCommand: (lines, isFollowing) => [
      'journalctl',
      isSystem ? '--unit' : '--user-unit',
      unit,
      '--output=cat',
      '--no-pager',
      `--lines=${lines}`,
      ...(isFollowing ? ['--follow'] : []),
    ],
    notes: isSystem
      ? [
          `Settings: ${join(home, 'config.json')}`,
          `Commands of the owner, such as token create: sudo hearth --home ${home} COMMAND`,
        ]
      : facts.isLingering
        ? []
        : [
            `A user service stops when you log out. To start it at boot: loginctl enable-linger ${user.name}`,
          ],
    kept: isSystem
      ? [
          `the data in ${home}, and the user ${serviceUser} who owns it (sudo rm -r ${home}; sudo userdel ${serviceUser})`,
        ]
      : [`the data in ${home}`],
  };
}
