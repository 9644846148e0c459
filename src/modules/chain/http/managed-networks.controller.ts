import { Controller, Get } from '@nestjs/common';
import { ManagementKey } from '../../../edge/auth/credentials.js';
import { OperationGroup } from '../../../edge/openapi/tags.js';
import { Chains } from '../../../kernel/chain/chain.js';
import { ManagedNetworkListResponse, ManagedNetworkResponse } from './networks.dto.js';

@OperationGroup({
  name: 'management: networks',
  description: 'The networks of the service and their nodes.',
  after: 'management: transfers',
})
@Controller('management/v1/networks')
export class ManagedNetworksController {
  constructor(private readonly chains: Chains) {}

  /**
   * List the networks of the service
   *
   * @remarks The nodes are not asked: each has the state of the last comparison by the replica that responds, at most half a minute ago.
   */
  @Get()
  @ManagementKey('auditor')
  list(): ManagedNetworkListResponse {
    return { networks: this.chains.all.map((chain) => ManagedNetworkResponse.of(chain)) };
  }
}
