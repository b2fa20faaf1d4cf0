import { expect, it } from 'vitest';
import type { CommandDescription, CommandEntry, CommandGroup } from './command.ts';
import { commandTable } from './command-table.ts';

/** The commands with their full names, such as `token create`. */
async function commands(
  entries: readonly (CommandEntry | CommandGroup)[] = commandTable,
  parent = '',
): Promise<ReadonlyMap<string, CommandDescription>> {
  const found = new Map<string, CommandDescription>();
  for (const entry of entries) {
    const name = `${parent}${entry.name}`;
    if ('commands' in entry) {
      for (const each of await commands(entry.commands, `${name} `)) found.set(...each);
    } else {
      found.set(name, await entry.load());
    }
  }
  return found;
}

const listing =
  'ls,ps,status,get,load,unload,import,rm,embed,show,search,token create,token ls,mcp add,mcp ls,mcp test,config ls,runtime ls,script,version';

// covers cli-21
it('has the specified commands', async () => {
  const specified =
    'serve,server start,server stop,server status,chat,log,token rm,mcp rm,config get,config set,config path,service install,service uninstall,service status,service logs,service restart,runtime install,runtime use,runtime rm,store migrate,store check,store copy,launch,completion,bench,doctor,update';
  const names = [...(await commands()).keys()];
  expect(names).toEqual(expect.arrayContaining([...listing.split(','), ...specified.split(',')]));
});

// covers cli-18
it.each(listing.split(','))('prints JSON on request: %s', async (name) => {
  expect(Object.keys((await commands()).get(name)?.options ?? {})).toContain('json');
});
