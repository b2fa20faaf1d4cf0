import {
  AudioLines,
  Boxes,
  Columns2,
  MessageSquare,
  SquareTerminal,
  type LucideIcon,
} from 'lucide-react';
import { texts } from '../texts/texts.ts';

export interface NavigationEntry {
  readonly path: string;
  readonly label: string;
  readonly icon: LucideIcon;
}

/** The pages in the navigation and the command palette, one line each. */
export const navigation: readonly NavigationEntry[] = [
  { path: '/chat', label: texts.pages.chat, icon: MessageSquare },
  { path: '/models', label: texts.pages.models, icon: Boxes },
  { path: '/compare', label: texts.pages.compare, icon: Columns2 },
  { path: '/voice', label: texts.pages.voice, icon: AudioLines },
  { path: '/developer', label: texts.pages.developer, icon: SquareTerminal },
];
