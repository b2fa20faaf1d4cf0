import { createInterface, emitKeypressEvents, type Key } from 'node:readline';
import { PassThrough } from 'node:stream';
import type { StandardInput } from '../command.ts';
import { printable } from '../../kernel/printable.ts';
import type { TerminalStream } from '../ui/terminal.ts';
import type { AskUser } from './tool-approvals.ts';

/** Messages that the user types in a terminal. */
export interface ChatInput {
  /**
   * Prompts for the next message: a line, or several lines between `"""`. Pasted text is part of the message, even if
   * it has several lines.
   *
   * @returns undefined at the end of the input: Ctrl-D, or Ctrl-C twice.
   */
  readMessage(): Promise<string | undefined>;
  /**
   * Asks for a line while no message is read. Drops keys that were typed before the question.
   *
   * @returns undefined if the signal aborts, and for Ctrl-C or Ctrl-D, which also call `onInterrupt`.
   */
  readonly ask: AskUser;
  close(): void;
}

interface ChatInputOptions {
  readonly stdin: StandardInput;
  readonly output: TerminalStream;
  readonly messages: TerminalStream;
  readonly signal: AbortSignal;
  /** Called on Ctrl-C between two prompts. */
  readonly onInterrupt: () => void;
  /** Called when the input ends, also between two prompts. */
  readonly onClose: () => void;
}

const prompt = '> ';
const blockPrompt = '... ';
const blockMark = '"""';
/** Longer pastes, and pastes of several lines, are shown as a label. */
const maxShownPasteLength = 500;
const maxHeldKeys = 10_000;
const bracketedPasteOn = '\u001b[?2004h';
const bracketedPasteOff = '\u001b[?2004l';

/** Input that the terminal sent while no prompt was shown. */
type HeldInput = { readonly keys: string } | { readonly paste: string };

/** Reads messages from a terminal. Input between two prompts is not echoed; the next prompt receives it. */
export function createChatInput(options: ChatInputOptions): ChatInput {
  const { stdin, output, messages, signal, onInterrupt, onClose } = options;
  const pastes = new Map<string, string>();
  let held: HeldInput[] = [];
  let isPrompting = false;
  let isClosed = false;
  let isExiting = false;
  let paste: string | undefined;
  let lastKeys = '';
  let block: string[] | undefined;
  /** The open question. */
  let question: string | undefined;
  let deliver: ((message: string | undefined) => void) | undefined;

  // Readline edits the line. It reads from its own stream, which receives only keys for the prompt.
  const keys = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => stdin.setRawMode?.(isRaw),
  });
  const lines = createInterface({
    input: keys,
    output: output.raw,
    terminal: true,
    historySize: 1000,
    signal,
  });

  function onKeypress(text: string | undefined, key: Key): void {
    const sequence = key.sequence ?? text ?? '';
    if (key.name === 'paste-start') {
      paste = '';
    } else if (key.name === 'paste-end') {
      if (paste !== undefined) hold({ paste });
      paste = undefined;
    } else if (paste !== undefined) {
      paste += sequence;
    } else if (!isPrompting && key.ctrl === true && key.name === 'c') {
      onInterrupt();
    } else if (!isPrompting && key.ctrl === true && key.name === 'd') {
      lines.close();
    } else if (sequence === '\n' && lastKeys === '\r') {
      // The second half of a line break (`\r\n`) is ignored.
    } else {
      hold({ keys: sequence });
    }
    lastKeys = sequence;
    passOn();
  }

  function hold(input: HeldInput): void {
    if (held.length < maxHeldKeys) held.push(input);
  }

  /** Passes input on to readline up to the end of a line. */
  function passOn(): void {
    while (isPrompting) {
      const next = held.shift();
      if (next === undefined) return;
      if ('paste' in next) {
        keys.write(insertable(next.paste));
      } else if (next.keys === '\r' || next.keys === '\n') {
        // Readline handles the line later; further input belongs to the next prompt.
        isPrompting = false;
        keys.write('\r');
      } else {
        keys.write(next.keys);
      }
    }
  }

  /** Returns the paste if it is short, or else a label that stands for it in the prompt. */
  function insertable(pasted: string): string {
    const text = printable(pasted.replace(/\r\n?/g, '\n')).replace(/\n+$/, '');
    const lineCount = text.split('\n').length;
    if (lineCount === 1 && text.length <= maxShownPasteLength) return text;
    const size = lineCount === 1 ? `${text.length} characters` : `${lineCount} lines`;
    const label = `[Pasted text #${pastes.size + 1}, ${size}]`;
    pastes.set(label, text);
    return label;
  }

  function expandPastes(line: string): string {
    return line.replace(/\[Pasted text #[^\]]*\]/g, (label) => pastes.get(label) ?? label);
  }

  function showPrompt(): void {
    isPrompting = true;
    lines.setPrompt(question ?? (block === undefined ? prompt : blockPrompt));
    lines.prompt();
    passOn();
  }

  // The arrow keys recall messages, but not answers to questions.
  lines.on('history', (history: string[]) => {
    if (question !== undefined) history.shift();
  });

  lines.on('line', (line) => {
    isPrompting = false;
    isExiting = false;
    if (question !== undefined) {
      endQuestion(line);
      return;
    }
    const message = completeMessage(line);
    if (message === undefined) {
      showPrompt();
      return;
    }
    const resolve = deliver;
    deliver = undefined;
    resolve?.(expandPastes(message));
  });

  function endQuestion(answer: string | undefined): void {
    if (answer === undefined) {
      lines.write(null, { ctrl: true, name: 'e' });
      lines.write(null, { ctrl: true, name: 'u' });
      messages.line();
    }
    isPrompting = false;
    question = undefined;
    const resolve = deliver;
    deliver = undefined;
    resolve?.(answer);
  }

  /** Returns the message that this line completes; undefined if the message is empty or continues. */
  function completeMessage(line: string): string | undefined {
    if (block === undefined) {
      const text = line.trim();
      if (!text.startsWith(blockMark)) return text === '' ? undefined : text;
      const first = text.slice(blockMark.length);
      if (first.endsWith(blockMark)) return first.slice(0, -blockMark.length).trim() || undefined;
      block = first === '' ? [] : [first];
      return undefined;
    }
    const end = line.trimEnd();
    if (!end.endsWith(blockMark)) {
      block.push(line);
      return undefined;
    }
    const last = end.slice(0, -blockMark.length);
    const message = [...block, ...(last === '' ? [] : [last])].join('\n');
    block = undefined;
    return message.trim() === '' ? undefined : message;
  }

  lines.on('SIGINT', () => {
    if (question !== undefined) {
      endQuestion(undefined);
      onInterrupt();
    } else if (lines.line !== '' || block !== undefined) {
      block = undefined;
      lines.write(null, { ctrl: true, name: 'e' });
      lines.write(null, { ctrl: true, name: 'u' });
      messages.line();
      showPrompt();
    } else if (isExiting) {
      lines.close();
    } else {
      isExiting = true;
      messages.write('\nPress Ctrl-C again to exit.\n');
      showPrompt();
    }
  });

  const onEnd = (): void => lines.close();
  lines.once('close', () => {
    isClosed = true;
    stdin.off('keypress', onKeypress);
    stdin.off('end', onEnd);
    stdin.pause();
    output.write(bracketedPasteOff);
    deliver?.(undefined);
    onClose();
  });
  emitKeypressEvents(stdin);
  stdin.on('keypress', onKeypress);
  stdin.once('end', onEnd);
  // An earlier question may have paused the input, and adding a listener does not resume it.
  stdin.resume();
  output.write(bracketedPasteOn);

  return {
    readMessage: () =>
      new Promise((resolve) => {
        if (isClosed) {
          resolve(undefined);
          return;
        }
        deliver = resolve;
        showPrompt();
      }),
    ask: (text, callerSignal) =>
      new Promise((resolve) => {
        if (isClosed || callerSignal.aborted) {
          resolve(undefined);
          return;
        }
        held = [];
        question = text;
        deliver = resolve;
        const onAbort = (): void => {
          if (question === text && deliver === resolve) endQuestion(undefined);
        };
        callerSignal.addEventListener('abort', onAbort, { once: true });
        showPrompt();
      }),
    close: () => lines.close(),
  };
}
