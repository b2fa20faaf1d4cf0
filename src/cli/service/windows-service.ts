import { join } from 'node:path/win32';
import {
  run,
  serveCommand,
  tryRun,
  escapeXml,
  type ServiceDefinition,
  type ServiceFacts,
} from './service-definition.ts';

/** Security identifiers are the same in every language of Windows; names are not. */
const localService = 'S-1-5-19';
const administrators = '*S-1-5-32-544';
const localSystem = '*S-1-5-18';
const users = '*S-1-5-32-545';

/** The service as a task of Task Scheduler. */
export function windowsService(facts: ServiceFacts): ServiceDefinition {
  const { home, serviceFolder, recordFolder, user } = facts;
  const isSystem = facts.scope === 'system';
  const name = isSystem ? 'Hearth' : `Hearth (${user.name})`;
  const file = join(serviceFolder, 'hearth-task.xml');
  const all = '(OI)(CI)F';
  const grants = [
    `${administrators}:${all}`,
    `${localSystem}:${all}`,
    `*${localService}:(OI)(CI)M`,
  ];
  return {
    name,
    file,
    files: [
      { type: 'folder', path: serviceFolder },
      { type: 'folder', path: home, isPrivate: true },
      { type: 'folder', path: join(home, 'logs') },
      { type: 'file', path: file, content: taskXml(facts), encoding: 'utf16le' },
    ],
    register: [
      // Other users may read the record, but not write it. They can't read the home folder.
      ...(isSystem
        ? [
            run(
              'icacls',
              recordFolder,
              '/inheritance:r',
              '/grant:r',
              ...grants,
              `${users}:(OI)(NP)RX`,
            ),
            run('icacls', home, '/inheritance:r', '/grant:r', ...grants),
          ]
        : []),
      run('schtasks', '/Create', '/TN', name, '/XML', file, '/F'),
    ],
    start: [run('schtasks', '/Run', '/TN', name)],
    restart: [tryRun('schtasks', '/End', '/TN', name), run('schtasks', '/Run', '/TN', name)],
    uninstall: [
      tryRun('schtasks', '/End', '/TN', name),
      tryRun('schtasks', '/Delete', '/TN', name, '/F'),
      { type: 'remove', path: file },
      ...(isSystem ? [{ type: 'remove', path: join(recordFolder, 'server.json') } as const] : []),
    ],
    // schtasks prints states in the language of Windows.
    stateCommand: undefined,
    logsCommand: (lines, isFollowing) => [
      'powershell',
      '-NoProfile',
      '-Command',
      `Get-Content -LiteralPath '${logFile(home).replaceAll("'", "''")}' -Encoding UTF8 -Tail ${lines}${isFollowing ? ' -Wait' : ''}`,
    ],
    notes: isSystem
      ? [`Settings: ${join(home, 'config.json')}`]
      : ['The service starts when you log in. To start it at boot, install it as administrator.'],
    kept: [`the data in ${home}`],
  };
}

/** The task; see the Task Scheduler schema, version 1.2. */
function taskXml(facts: ServiceFacts): string {
  const { scope, user, home } = facts;
  const isSystem = scope === 'system';
  const userId = `<UserId>${escapeXml(isSystem ? localService : user.name)}</UserId>`;
  const serve = [...serveCommand(facts), `--log-file=${logFile(home)}`];
  // A user's task would open a console window for Node.js, and closing it would end the server; conhost prevents that.
  // A system task has no desktop, and without conhost it keeps the server's exit code.
  const [command = '', ...commandArguments] = isSystem
    ? serve
    : [String.raw`%SystemRoot%\System32\conhost.exe`, '--headless', ...serve];
  return [
    '<?xml version="1.0" encoding="UTF-16"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    '  <RegistrationInfo>',
    '    <Description>Hearth model server</Description>',
    '  </RegistrationInfo>',
    '  <Triggers>',
    isSystem
      ? '    <BootTrigger><Enabled>true</Enabled></BootTrigger>'
      : `    <LogonTrigger><Enabled>true</Enabled>${userId}</LogonTrigger>`,
    '  </Triggers>',
    '  <Principals>',
    `    <Principal id="Author">${userId}${isSystem ? '' : '<LogonType>InteractiveToken</LogonType>'}<RunLevel>LeastPrivilege</RunLevel></Principal>`,
    '  </Principals>',
    '  <Settings>',
    '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
    '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
    '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
    '    <AllowHardTerminate>true</AllowHardTerminate>',
    '    <StartWhenAvailable>true</StartWhenAvailable>',
    '    <Enabled>true</Enabled>',
    '    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
    // Better than the default priority 7, which slows disk access.
    '    <Priority>4</Priority>',
    '    <RestartOnFailure><Interval>PT1M</Interval><Count>10</Count></RestartOnFailure>',
    '  </Settings>',
    '  <Actions Context="Author">',
    '    <Exec>',
    `      <Command>${escapeXml(command)}</Command>`,
    `      <Arguments>${escapeXml(commandArguments.map(quote).join(' '))}</Arguments>`,
    `      <WorkingDirectory>${escapeXml(home)}</WorkingDirectory>`,
    '    </Exec>',
    '  </Actions>',
    '</Task>',
    '',
  ].join('\r\n');
}

const logFile = (home: string) => join(home, 'logs', 'server.log');
const quote = (text: string) => (/^[\w=:./\\-]+$/.test(text) ? text : `"${text}"`);
