import { describe, expect, it } from 'vitest';
import { describeSettings, parseSetting } from './chat-settings.ts';
import { splitImagePaths } from './image-file.ts';
import { parseSlashCommand, slashCommands, slashHelp } from './slash-commands.ts';

describe('a line that begins with a slash', () => {
  it.each([
    ['/model', 'model', ''],
    ['/set temperature 0.5', 'set', 'temperature 0.5'],
    ['/system You are a\npirate.', 'system', 'You are a\npirate.'],
    ['/nonsense', undefined, ''],
  ])('%j is a command', (line, name, argument) => {
    const parsed = parseSlashCommand(line);
    expect([parsed?.command?.name, parsed?.argument]).toEqual([name, argument]);
  });

  it.each(['/etc/passwd', '/etc/passwd is a file', '/usr is a folder', 'say /help'])(
    '%j is a message',
    (line) => {
      expect(parseSlashCommand(line)).toBeUndefined();
    },
  );

  it('has a line in the help for each command', () => {
    for (const { name } of slashCommands)
      expect(slashHelp()).toMatch(new RegExp(`^/${name} `, 'm'));
  });
});

describe('/set', () => {
  it.each([
    ['temperature 0.5', { temperature: 0.5 }],
    ['max_tokens 100', { max_output_tokens: 100 }],
    ['reasoning off', { reasoning: 'off' }],
    ['temperature default', { temperature: undefined }],
  ])('%j', (argument, values) => {
    expect(parseSetting(argument)).toEqual(values);
  });

  it.each([
    '',
    'temperature',
    'temperature hot',
    'temperature 3',
    'top_k 1.5',
    'model x',
    'store true',
  ])('%j is refused', (argument) => {
    expect(() => parseSetting(argument)).toThrow(/Names: |temperature: |top_k: /);
  });

  it.each([
    ['temperature 3', 'temperature: 3 is not allowed. It must be at most 1.'],
    ['temperature hot', 'temperature: hot is not allowed. It must be a number.'],
    ['max_tokens 0', 'max_tokens: 0 is not allowed. It must be at least 1.'],
    ['top_k 1.5', 'top_k: 1.5 is not allowed. It must be a whole number.'],
    ['reasoning no', 'reasoning: no is not allowed. It must be one of off, low, medium, high, on.'],
  ])('%j names what is allowed', (argument, message) => {
    expect(() => parseSetting(argument)).toThrow(message);
  });

  it('shows what is not the default', () => {
    const values = { temperature: 0.5, max_output_tokens: 9, top_k: undefined };
    expect(describeSettings(values)).toEqual(['temperature 0.5', 'max_tokens 9']);
  });
});

describe('paths of images in a message', () => {
  it.each([
    ['What is in ./a.png?', 'What is in ./a.png?', []],
    ['What is in ./a.png ?', 'What is in ?', ['./a.png']],
    ['/tmp/x/My\\ Cat.JPG describe', 'describe', ['/tmp/x/My Cat.JPG']],
    ['"My cat.webp" and \'b c.gif\'', 'and', ['My cat.webp', 'b c.gif']],
    ['~/a.jpeg', '', ['~/a.jpeg']],
    ['C:\\pictures\\a.png what?', 'what?', ['C:\\pictures\\a.png']],
    ['the file cat.png', 'the file cat.png', []],
    ['see https://example.com/a.png', 'see https://example.com/a.png', []],
  ])('%j', (message, text, paths) => {
    expect(splitImagePaths(message)).toEqual({ text, paths });
  });

  it('are found in linear time', () => {
    expect(splitImagePaths('/a'.repeat(200_000)).paths).toEqual([]);
    expect(splitImagePaths('"a'.repeat(200_000)).paths).toEqual([]);
  });
});
