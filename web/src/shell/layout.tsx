import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import {
  CircleHelp,
  LogIn,
  Menu as MenuIcon,
  MessageCircleDashed,
  MessageSquarePlus,
  PanelLeft,
  Search,
  Smartphone,
  X,
} from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo } from 'react';
import { access } from '../api/access.ts';
import { connection } from '../api/live-events.ts';
import { useStore } from '../api/store.ts';
import { navigation } from '../pages/navigation.ts';
import { useTemporaryChats } from '../pages/chat/temporary/use-temporary-chats.ts';
import { texts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Flame } from './brand.tsx';
import { listenForKeys, useCommands, type Command } from './commands.ts';
import {
  isDrawerOpen,
  isPaletteOpen,
  isSidebarHidden,
  isSignInOpen,
  toggleSidebar,
} from './layout-state.ts';
import { Sidebar, SidebarRail } from './sidebar.tsx';
import { TokenPage } from './token-page.tsx';

const CommandPalette = lazy(async () => ({
  default: (await import('./command-palette.tsx')).CommandPalette,
}));

const SignInDialog = lazy(async () => ({
  default: (await import('./sign-in-dialog.tsx')).SignInDialog,
}));

const Drawer = lazy(async () => ({ default: (await import('./drawer.tsx')).Drawer }));

/** The layout of every page: sidebar or drawer, notices, command palette. */
export function Layout() {
  const { isTokenNeeded } = useStore(access);
  const isPaletteShown = useStore(isPaletteOpen);
  const isSignInShown = useStore(isSignInOpen);
  const isNarrow = useStore(isSidebarHidden);
  const isSigningIn = useRouterState({
    select: ({ matches }) => matches.some(({ routeId }) => routeId === '/open'),
  });
  useCommands(useShellCommands());
  useTemporaryChats();
  useEffect(listenForKeys, []);
  // On the page that signs in, no token is required.
  if (isSigningIn) {
    return (
      <main className="min-h-dvh bg-bg">
        <Outlet />
      </main>
    );
  }
  if (isTokenNeeded) return <TokenPage />;
  return (
    <div className="flex h-dvh">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:start-2 focus:z-50 focus:rounded-lg focus:bg-raised focus:px-3 focus:py-2"
      >
        {texts.app.skipToContent}
      </a>
      {isNarrow ? (
        <SidebarRail />
      ) : (
        <div className="hidden w-66 shrink-0 border-e bg-panel md:block">
          <Sidebar />
        </div>
      )}
      <div className="flex min-w-0 flex-1 flex-col">
        <TopBar />
        <ConnectionNotice />
        <SignedOutNotice />
        <main
          id="content"
          tabIndex={-1}
          className="min-h-0 flex-1 overflow-y-auto bg-bg outline-none"
        >
          <Outlet />
        </main>
      </div>
      {isSignInShown && (
        <Suspense>
          <SignInDialog />
        </Suspense>
      )}
      {isPaletteShown && (
        <Suspense>
          <CommandPalette />
        </Suspense>
      )}
    </div>
  );
}

/** The bar on narrow screens, with a button for the drawer. */
function TopBar() {
  const isOpen = useStore(isDrawerOpen);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => isDrawerOpen.set(false), [path]);
  return (
    <header className="flex items-center gap-1 border-b bg-panel px-2 py-1.5 md:hidden">
      <IconButton
        icon={MenuIcon}
        label={texts.app.openMenu}
        size={19}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => isDrawerOpen.set(true)}
      />
      {isOpen && (
        <Suspense>
          <Drawer />
        </Suspense>
      )}
      <span className="flex flex-1 items-center justify-center gap-1.5 pe-8 font-semibold">
        <Flame size={18} />
        {texts.app.name}
      </span>
    </header>
  );
}

function ConnectionNotice() {
  const isUnreachable = useStore(connection) === 'unreachable';
  return (
    <div role="status">
      {isUnreachable && (
        <p className="border-b bg-warn-soft px-4 py-2 text-sm text-warn">
          <strong className="font-semibold">{texts.connection.unreachable}.</strong>{' '}
          {texts.connection.unreachableHint}
        </p>
      )}
    </div>
  );
}

/** Tells the user that the token of this tab has become invalid, and offers to sign in again. */
function SignedOutNotice() {
  const { hasEnded } = useStore(access);
  return (
    <div role="status">
      {hasEnded && (
        <div className="flex flex-wrap items-center gap-2 border-b bg-warn-soft px-4 py-1.5 text-sm text-warn">
          <p className="min-w-0 flex-1 basis-48">
            <strong className="font-semibold">{texts.token.ended}.</strong> {texts.token.endedHint}
          </p>
          <Button size="small" onClick={() => isSignInOpen.set(true)}>
            {texts.token.signIn}
          </Button>
          <IconButton
            icon={X}
            label={texts.app.dismiss}
            className="text-warn"
            onClick={() => access.acknowledgeEnd()}
          />
        </div>
      )}
    </div>
  );
}

function useShellCommands(): readonly Command[] {
  const navigate = useNavigate();
  return useMemo(
    () => [
      {
        id: 'palette',
        label: texts.palette.open,
        icon: Search,
        keys: 'mod+k',
        isHidden: true,
        run: () => isPaletteOpen.set((isOpen) => !isOpen),
      },
      {
        id: 'sidebar',
        label: texts.shortcuts.sidebar,
        icon: PanelLeft,
        keys: 'mod+b',
        run: toggleSidebar,
      },
      {
        id: 'new-chat',
        label: texts.chat.newChat,
        icon: MessageSquarePlus,
        keys: 'mod+shift+o',
        run: () => void navigate({ to: '/chat', search: {} }),
      },
      {
        id: 'temporary-chat',
        label: texts.chat.temporary.label,
        icon: MessageCircleDashed,
        run: () => void navigate({ to: '/chat', search: { temporary: true } }),
      },
      {
        // On the chat page, the composer handles these keys.
        id: 'to-chat',
        label: texts.shortcuts.focusInput,
        keys: '/',
        isHidden: true,
        run: () => void navigate({ to: '/chat', search: {} }),
      },
      ...navigation.map(({ path, label, icon }) => ({
        id: `page:${path}`,
        label,
        icon,
        run: () => void navigate({ to: path }),
      })),
      {
        id: 'devices',
        label: texts.pages.devices,
        icon: Smartphone,
        run: () => void navigate({ to: '/devices' }),
      },
      {
        id: 'sign-in',
        label: texts.token.signIn,
        icon: LogIn,
        run: () => isSignInOpen.set(true),
      },
      {
        id: 'shortcuts',
        label: texts.pages.shortcuts,
        icon: CircleHelp,
        keys: '?',
        run: () => void navigate({ to: '/shortcuts' }),
      },
    ],
    [navigate],
  );
}
