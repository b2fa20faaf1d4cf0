import { Link } from '@tanstack/react-router';
import {
  CircleHelp,
  LogIn,
  LogOut,
  MessageSquarePlus,
  Monitor,
  Moon,
  PanelLeft,
  Search,
  Smartphone,
  Sun,
} from 'lucide-react';
import { access } from '../api/access.ts';
import { signOut } from '../api/sign-in.ts';
import { useStore } from '../api/store.ts';
import { ConversationList } from '../pages/chat/list/conversation-list.tsx';
import { navigation } from '../pages/navigation.ts';
import { texts } from '../texts/texts.ts';
import { IconButton, iconButtonClass } from '../ui/icon-button.tsx';
import { Menu } from '../ui/menu.tsx';
import { Flame } from './brand.tsx';
import { Keys } from './keys.tsx';
import { LanguageMenu } from './language-menu.tsx';
import { isPaletteOpen, isSignInOpen, toggleSidebar } from './layout-state.ts';
import { chooseTheme, theme } from './theme.ts';

const itemClass =
  'flex items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-sm text-muted transition-colors hover:bg-hover hover:text-text';

/** Navigation, conversations and settings. */
export function Sidebar() {
  return (
    <div className="flex h-full flex-col">
      <div className="flex items-center px-3 pt-3 pb-2">
        <Link
          to="/chat"
          className="flex flex-1 items-center gap-2 px-2 text-[15px] font-semibold tracking-tight"
        >
          <Flame />
          {texts.app.name}
        </Link>
        <IconButton
          icon={PanelLeft}
          label={texts.app.hideSidebar}
          data-sidebar-toggle
          className="!hidden md:!inline-flex"
          onClick={toggleSidebar}
        />
      </div>
      <nav aria-label={texts.app.navigation} className="flex flex-col gap-0.5 px-3">
        {navigation.map(({ path, label, icon: Icon }) => (
          <Link
            key={path}
            to={path}
            className={itemClass}
            activeProps={{ className: 'bg-hover font-medium !text-text' }}
          >
            <Icon size={17} aria-hidden />
            {label}
          </Link>
        ))}
        <button type="button" className={itemClass} onClick={() => isPaletteOpen.set(true)}>
          <Search size={17} aria-hidden />
          <span className="flex-1 text-start">{texts.palette.open}</span>
          <Keys keys="mod+k" />
        </button>
      </nav>
      <div className="mt-4 min-h-0 flex-1">
        <ConversationList />
      </div>
      <SidebarFooter />
    </div>
  );
}

/** Replaces a hidden sidebar; has its most important buttons. */
export function SidebarRail() {
  return (
    <nav
      aria-label={texts.app.navigation}
      className="hidden w-12 shrink-0 flex-col items-center gap-1 border-e bg-panel pt-3 md:flex"
    >
      <IconButton
        icon={PanelLeft}
        label={texts.app.showSidebar}
        data-sidebar-toggle
        onClick={toggleSidebar}
      />
      <Link
        to="/chat"
        search={{}}
        aria-label={texts.chat.newChat}
        title={texts.chat.newChat}
        className={iconButtonClass}
      >
        <MessageSquarePlus size={17} aria-hidden />
      </Link>
      <IconButton
        icon={Search}
        label={texts.palette.open}
        onClick={() => isPaletteOpen.set(true)}
      />
    </nav>
  );
}

function SidebarFooter() {
  const { token } = useStore(access);
  const chosen = useStore(theme);
  const icons = { light: Sun, dark: Moon, system: Monitor };
  const names = ['light', 'dark', 'system'] as const;
  return (
    <footer className="flex items-center gap-1 border-t px-3 py-2">
      <Menu
        align="start"
        icon={icons[chosen]}
        label={texts.theme.label}
        items={names.map((name) => ({
          label: texts.theme[name],
          icon: icons[name],
          onSelect: () => chooseTheme(name),
        }))}
      />
      <LanguageMenu />
      <Link to="/shortcuts" aria-label={texts.pages.shortcuts} className={iconButtonClass}>
        <CircleHelp size={17} aria-hidden />
      </Link>
      <Link to="/devices" aria-label={texts.pages.devices} className={iconButtonClass}>
        <Smartphone size={17} aria-hidden />
      </Link>
      {token === undefined ? (
        <IconButton
          icon={LogIn}
          label={texts.token.signIn}
          onClick={() => isSignInOpen.set(true)}
        />
      ) : (
        <IconButton icon={LogOut} label={texts.token.signOut} onClick={() => void signOut()} />
      )}
    </footer>
  );
}
