import { dirname, join } from 'node:path/posix';
import {
  run,
  serveCommand,
  tryRun,
  escapeXml,
  type ServiceDefinition,
  type ServiceFacts,
} from './service-definition.ts';

const label = 'hearth.server';
/** Time for engines to exit after the last request has ended. */
const stopReserveSeconds = 20;

/** The service under launchd: a daemon of the system, or an agent of the user. */
export function launchdService(facts: ServiceFacts): ServiceDefinition {
  const { home, serviceFolder, recordFolder, user } = facts;
  const isSystem = facts.scope === 'system';
  const file = join(serviceFolder, `${label}.plist`);
  const domain = isSystem ? 'system' : `gui/${user.id}`;
  const target = `${domain}/${label}`;
  const owned = isSystem ? [join(home, 'logs'), recordFolder] : [join(home, 'logs')];
  return {
    name: label,
    file,
    files: [
      { type: 'folder', path: home, isPrivate: true },
      ...owned.map((path) => ({ type: 'folder', path }) as const),
      { type: 'folder', path: serviceFolder },
      { type: 'file', path: file, content: launchdPlist(facts) },
    ],
    register: [
      // The daemon runs as this user, but root created the folders.
      ...(isSystem ? [run('chown', user.name, home, ...owned)] : []),
      run('launchctl', 'enable', target),
    ],
    start: [tryRun('launchctl', 'bootstrap', domain, file), run('launchctl', 'kickstart', target)],
    restart: [
      tryRun('launchctl', 'bootout', target),
      run('launchctl', 'bootstrap', domain, file),
      run('launchctl', 'kickstart', target),
    ],
    uninstall: [
      tryRun('launchctl', 'bootout', target),
      { type: 'remove', path: file },
      ...(isSystem ? [{ type: 'remove', path: join(recordFolder, 'server.json') } as const] : []),
    ],
    stateCommand: ['launchctl', 'print', target],
    logsCommand: (lines, isFollowing) => [
      'tail',
      '-n',
      String(lines),
      ...(isFollowing ? ['-F'] : []),
      logFile(home),
    ],
    notes: isSystem
      ? [`The service runs as ${user.name}, with the home folder ${home}.`]
      : ['The service starts when you log in. To start it at boot, install it with sudo.'],
    kept: [`the data in ${home}`],
  };
}

/** The property list; see launchd.plist(5). */
function launchdPlist(facts: ServiceFacts): string {
  const { home, nodePath, scope, shutdownSeconds, user } = facts;
  const path = [dirname(nodePath), '/opt/homebrew/bin', '/usr/local/bin', '/usr/bin', '/bin'];
  const entries: readonly (readonly [string, string])[] = [
    ['Label', string(label)],
    ['ProgramArguments', `<array>\n${serveCommand(facts).map(indented).join('')}\t</array>`],
    ...(scope === 'system' ? [['UserName', string(user.name)] as const] : []),
    ['WorkingDirectory', string(home)],
    ['EnvironmentVariables', `<dict>\n\t\t<key>PATH</key>\n${indented(path.join(':'))}\t</dict>`],
    ['RunAtLoad', '<true/>'],
    // Restarts after a crash, but not after `hearth server stop`.
    ['KeepAlive', '<dict>\n\t\t<key>SuccessfulExit</key>\n\t\t<false/>\n\t</dict>'],
    ['ThrottleInterval', '<integer>10</integer>'],
    ['ExitTimeOut', `<integer>${shutdownSeconds + stopReserveSeconds}</integer>`],
    // launchd throttles processes of other types.
    ['ProcessType', string('Interactive')],
    ['Umask', '<integer>63</integer>'],
    [
      'SoftResourceLimits',
      '<dict>\n\t\t<key>NumberOfFiles</key>\n\t\t<integer>65536</integer>\n\t</dict>',
    ],
    ['StandardOutPath', string(logFile(home))],
    ['StandardErrorPath', string(logFile(home))],
  ];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    ...entries.map(([key, value]) => `\t<key>${key}</key>\n\t${value}`),
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
}

/** The server rotates this log, since launchd opens it for appending. */
const logFile = (home: string) => join(home, 'logs', 'server.log');
const string = (text: string) => `<string>${escapeXml(text)}</string>`;
const indented = (text: string) => `\t\t${string(text)}\n`;
