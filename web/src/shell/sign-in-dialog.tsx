import { texts } from '../texts/texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { isSignInOpen } from './layout-state.ts';
import { TokenForm } from './token-form.tsx';

/** Signs in with another token, to get permissions that the present one lacks. */
export function SignInDialog() {
  const close = () => isSignInOpen.set(false);
  return (
    <Dialog isOpen onClose={close} title={texts.token.signIn} description={texts.token.signInHint}>
      <TokenForm onSignIn={close} />
    </Dialog>
  );
}
