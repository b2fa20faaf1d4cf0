import { devicesTexts } from '../../texts/devices.ts';
import { texts } from '../../texts/texts.ts';
import { Page } from '../../ui/page.tsx';
import { DeviceList } from './device-list.tsx';
import { PhoneCode } from './phone-code.tsx';

/** The signed-in devices of the caller, and a code to sign in another device. */
export function DevicesPage() {
  return (
    <Page title={texts.pages.devices} description={devicesTexts.description}>
      <PhoneCode />
      <DeviceList />
    </Page>
  );
}
