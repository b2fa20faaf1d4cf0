import { chatTexts } from './en/chat.ts';
import { formatNumber } from './en/format-number.ts';

/** All texts of the app in English, by area. Another language is another file of the same type. */
export const en = {
  app: {
    name: 'Hearth',
    skipToContent: 'Skip to content',
    openMenu: 'Open menu',
    navigation: 'Pages',
    close: 'Close',
    cancel: 'Cancel',
    retry: 'Try again',
    copy: 'Copy',
    copied: 'Copied',
    save: 'Save',
    delete: 'Delete',
    loading: 'Loading',
    dismiss: 'Dismiss',
    undo: 'Undo',
    selectAll: 'Select all',
    notShown: (characters: number) =>
      `${formatNumber(characters)} more characters are not shown. Copying takes all of them.`,
  },
  pages: {
    chat: 'Chat',
    models: 'Models',
    compare: 'Compare',
    voice: 'Voice script',
    developer: 'Developer',
    shortcuts: 'Keyboard shortcuts',
  },
  theme: {
    label: 'Theme',
    light: 'Light',
    dark: 'Dark',
    system: 'System',
  },
  connection: {
    unreachable: 'The server does not answer',
    unreachableHint: 'The page reconnects automatically. Start the server with: hearth serve',
  },
  token: {
    title: 'This server needs a token',
    explanation: 'Create one on the machine that runs the server, and paste it here:',
    command: 'hearth token create --name browser',
    label: 'API token',
    remember: 'Stay signed in',
    rememberHint: 'Otherwise it is forgotten when all tabs of Hearth are closed.',
    submit: 'Sign in',
    signIn: 'Sign in',
    signInHint:
      'A token gives this browser further permissions, such as those for settings and tools.',
    signOut: 'Sign out',
    ended: 'You are signed out',
    endedHint: 'Your session has ended. Chats continue without it.',
    refused: {
      expired: 'This token has expired. Enter another one.',
      unknown: 'This token is unknown or revoked. Enter another one.',
      ended: 'This session has ended. Run "hearth open" again, or enter a token.',
      foreign: 'This token is not one of this server. Check that you copied all of it.',
    },
  },
  palette: {
    open: 'Commands',
    placeholder: 'Type a command or a page…',
    empty: 'Nothing matches.',
    commands: 'Commands',
  },
  shortcuts: {
    title: 'Keyboard shortcuts',
    palette: 'Search and commands',
    help: 'Show this page',
    newChat: 'New chat',
    focusInput: 'Write a message',
    find: 'Find in this chat',
    send: 'Send the message',
    newLine: 'New line',
    stop: 'Stop the answer',
  },
  markdown: {
    code: 'code',
    copyCode: 'Copy the code',
  },
  chat: chatTexts,
  errors: {
    title: 'Something went wrong on this page',
    reload: 'Reload the page',
    notFoundTitle: 'Page not found',
    notFoundHint: 'The address may be mistyped, or the page may have moved.',
    toChat: 'To the chat',
    requestId: (id: string) => `Request ${id}`,
    unreachable: 'The server does not answer. Check that it is running, then try again.',
    missingPart:
      'A part of the app could not be loaded: the server does not answer, or it was updated. Reload the page.',
    unexpected: 'An unexpected error occurred.',
  },
};
