import { Injectable } from '@nestjs/common';
import { Readiness } from '../../../../edge/health/health.controller.js';
import { ConfiguredNetworks } from '../../../../kernel/chain/networks.js';
import { Config } from '../../../../services/config/config.js';
import type { EvmNetwork } from '../../../../services/config/networks.js';
import { TransferSettings } from '../domain/transfer-settings.js';

@Injectable()
export class ConfiguredTransferSettings extends TransferSettings {
  readonly confirmWaitSeconds: number;
  readonly bumpAfterSeconds: number;
  readonly stuckAfterSeconds: number;
  readonly onlyObserves: boolean;

  constructor(
    private readonly config: Config,
    private readonly readiness: Readiness,
    private readonly networks: ConfiguredNetworks,
  ) {
    super();
    this.confirmWaitSeconds = config.transferConfirmWaitSeconds;
    this.bumpAfterSeconds = config.transferBumpAfterSeconds;
    this.stuckAfterSeconds = config.transferStuckAfterSeconds;
    this.onlyObserves = config.readOnly;
  }

  readonly feeCeilings: TransferSettings['feeCeilings'] = (id) => {
    const name = this.networks.byId(id)?.name;
    return (
      this.config.networks.find((each): each is EvmNetwork => each.kind !== 'solana' && each.name === name) ?? null
    );
  };

  get isStopping(): boolean {
    return this.readiness.isDraining;
  }
}
