/** Advice for commands that users of similar programs try. */
const hints: Readonly<Record<string, string>> = {
  stop: 'To unload a model, run `hearth unload INSTANCE`. To stop the server, run `hearth server stop`.',
  start:
    'To start the server, run `hearth serve`, or `hearth server start` to start it in the background.',
  find: 'To search for models, run `hearth search WORDS`.',
  install:
    'To download a model, run `hearth get MODEL`. To install a runtime, run `hearth runtime install`.',
  models: 'To list models, run `hearth ls`.',
  info: 'To show the details of a model, run `hearth show MODEL`.',
  logs: 'The background server logs to logs/server.log in the home folder.',
  log: 'The background server logs to logs/server.log in the home folder.',
  config: 'Settings are in config.json in the home folder. See `hearth serve --help`.',
  login: 'To create an API token, run `hearth token create --name NAME`.',
  plugin: 'To manage plugins, run `hearth mcp`.',
};

/**
 * Completes an error message of the argument parser with the next step.
 *
 * @param command Such as `hearth server start`.
 */
export function addHint(message: string, command: string): string {
  const name = /^error: unknown command '([\w-]+)'/.exec(message)?.[1];
  const hint = name === undefined ? undefined : hints[name];
  if (hint !== undefined && command === 'hearth')
    return `error: unknown command '${name}'\n${hint}\n`;
  return message.includes('(Did you mean') ? message : `${message}See \`${command} --help\`.\n`;
}
