import { MessageSquare, type LucideIcon } from 'lucide-react';
import { texts } from '../texts/texts.ts';

export interface NavigationEntry {
  readonly path: string;
  readonly label: string;
  readonly icon: LucideIcon;
}

/** The pages in the navigation and the palette, one line each. */
export const navigation: readonly NavigationEntry[] = [
  { path: '/chat', label: texts.pages.chat, icon: MessageSquare },
];
