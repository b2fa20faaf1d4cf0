import { quickCommands } from './quick-commands.ts';
import { runProcess } from './run-process.ts';

void runProcess(quickCommands);
