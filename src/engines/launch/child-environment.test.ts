import { expect, it } from 'vitest';
import { childEnvironment } from './child-environment.ts';

it('passes only the variables that an engine needs', () => {
  const environment = childEnvironment(
    { PATH: '/bin', HUB_TOKEN: 'secret', NODE_OPTIONS: '--x', LLAMA_ARG_MODEL: 'other' },
    'key',
  );
  expect(environment).toMatchObject({ PATH: '/bin', LLAMA_API_KEY: 'key', GOMP_SPINCOUNT: '1000' });
  expect(environment).toMatchObject({ GGML_NO_BACKTRACE: '1' });
  expect(Object.keys(environment)).not.toContain('HUB_TOKEN');
  expect(Object.keys(environment)).not.toContain('NODE_OPTIONS');
  expect(Object.keys(environment)).not.toContain('LLAMA_ARG_MODEL');
});

it('passes the variables of GPUs, and those of the setting', () => {
  const gpus = {
    HSA_OVERRIDE_GFX_VERSION: '10.3.0',
    ROCR_VISIBLE_DEVICES: '0',
    HIP_VISIBLE_DEVICES: '1',
    VK_ICD_FILENAMES: '/etc/vulkan/icd.json',
    XDG_RUNTIME_DIR: '/run/user/1000',
    ONEAPI_DEVICE_SELECTOR: 'level_zero:0',
    CUDA_DEVICE_ORDER: 'PCI_BUS_ID',
  };
  const extra = { GOMP_SPINCOUNT: '0', VK_ICD_FILENAMES: '/own.json', LLAMA_API_KEY: 'mine' };
  expect(childEnvironment({ ...gpus, VKTOKEN: 'secret' }, 'key', extra)).toMatchObject({
    ...gpus,
    VK_ICD_FILENAMES: '/own.json',
    GOMP_SPINCOUNT: '0',
    LLAMA_API_KEY: 'key',
  });
  expect(childEnvironment({ VKTOKEN: 'secret' }, 'key')).not.toHaveProperty('VKTOKEN');
});
