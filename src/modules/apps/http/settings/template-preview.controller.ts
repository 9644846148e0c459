import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ManagementKey } from '../../../../edge/auth/credentials.js';
import { Refuses } from '../../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../../edge/http/path-id.js';
import { ChangesNothing } from '../../../../edge/idempotency/post-routes.js';
import type { AppId } from '../../../../kernel/ids.js';
import { MailKind } from '../../../../kernel/mail-kind.js';
import { Brands } from '../../../../services/mail/brands.js';
import { renderMail } from '../../../../services/mail/rendered-mail.js';
import { changeMessages } from '../../domain/app-messages.js';
import { AppNotFound, InvalidTemplate } from '../../domain/apps.errors.js';
import { PreviewTemplateRequest, TemplatePreviewResponse } from './template-preview.dto.js';
import { given } from '../wire-names.js';

@ApiTags('management: messages')
@Controller('management/v1/apps/:app_id/templates')
export class TemplatePreviewController {
  constructor(private readonly brands: Brands) {}

  /**
   * Render a preview of a mail template
   *
   * @remarks Renders the mail with sample values, and stores and sends nothing. The texts are checked as when they are stored.
   */
  @Post('preview')
  @HttpCode(200)
  @ChangesNothing()
  @ManagementKey('operator')
  @Refuses(InvalidTemplate)
  async preview(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Body() { kind, name, subject, text, html }: PreviewTemplateRequest,
  ): Promise<TemplatePreviewResponse> {
    const brand = await this.brands.of(appId);
    if (!brand) throw new AppNotFound();
    const own = { ...brand.templates[kind], ...given({ subject, text, html }) };
    const { templates = {} } = changeMessages({}, { templates: { [kind]: own } });
    return { kind, ...renderMail(MailKind.named(kind).sample(name), { ...brand, templates }) };
  }
}
