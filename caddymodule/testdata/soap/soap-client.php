<?php
// PHP's SoapClient: it is given the address of the WSDL, and goes where that leads.
//
// It prints a line of JSON for each step of its day, with what it saw. It does not judge.
ini_set('soap.wsdl_cache_enabled', '0');
// Many installations write doubles with 17 digits, 931569.10 as 931569.09999999998.
ini_set('precision', '17');

$task = json_decode(file_get_contents($argv[1]));

function items($value): array
{
    return is_array($value) ? $value : ($value === null ? [] : [$value]);
}

function codes(object $answer): array
{
    return array_map(fn($e) => $e->Code, items($answer->Errors->Err ?? null));
}

class Day
{
    private array $auth;
    private SoapClient $service;
    private array $point = ['PtoVta' => 1, 'CbteTipo' => 6];

    public function __construct(private object $task, private object $issuer)
    {
        $this->auth = ['Cuit' => (float) $issuer->cuit];
        $this->service = $this->client($task->service . '?WSDL');
    }

    private function client(string $wsdl): SoapClient
    {
        return new SoapClient($wsdl, ['soap_version' => $this->task->version === '1.2' ? SOAP_1_2 : SOAP_1_1]);
    }

    private function call(string $operation, array $members = []): object
    {
        return $this->service->$operation(['Auth' => $this->auth] + $members)->{$operation . 'Result'};
    }

    private function step(string $name, callable $work): array
    {
        try {
            $saw = $work();
        } catch (SoapFault $e) {
            $saw = ['fault' => $e->getMessage()];
        }
        echo json_encode(['cuit' => $this->issuer->cuit, 'step' => $name] + $saw), "\n";
        return $saw;
    }

    // login signs as the authority's own example for PHP does: S/MIME, of which the headers are cut off.
    private function login(): array
    {
        $ticket = new SimpleXMLElement('<loginTicketRequest version="1.0"/>');
        $header = $ticket->addChild('header');
        $header->addChild('uniqueId', (string) time());
        $header->addChild('generationTime', date('c', time() - 60));
        $header->addChild('expirationTime', date('c', time() + 60));
        $ticket->addChild('service', 'wsfe');
        $plain = tempnam($this->task->folder, 'request');
        $ticket->asXML($plain);
        $key = ['file://' . $this->issuer->key, ''];
        openssl_pkcs7_sign($plain, $plain . '.signed', 'file://' . $this->issuer->certificate, $key, [], 0);
        [, $message] = preg_split('/\r?\n\r?\n/', file_get_contents($plain . '.signed'), 2);
        $answer = $this->client($this->task->login . '?wsdl')->loginCms(['in0' => $message]);
        $credentials = (new SimpleXMLElement($answer->loginCmsReturn))->credentials;
        $this->auth += ['Token' => (string) $credentials->token, 'Sign' => (string) $credentials->sign];
        return ['number' => strlen($this->auth['Token'])];
    }

    private function issue(int $from, int $count, array $other = []): array
    {
        $invoice = fn(int $number) => $other + [
            'Concepto' => 1, 'DocTipo' => 99, 'DocNro' => 0, 'CbteDesde' => $number, 'CbteHasta' => $number,
            'CbteFch' => $this->task->date, 'ImpTotal' => 121.0, 'ImpTotConc' => 0, 'ImpNeto' => 100.0, 'ImpOpEx' => 0,
            'ImpTrib' => 0, 'ImpIVA' => 21.0, 'MonId' => 'PES', 'MonCotiz' => 1, 'CondicionIVAReceptorId' => 5,
            'Iva' => ['AlicIva' => [['Id' => 5, 'BaseImp' => 100.0, 'Importe' => 21.0]]],
        ];
        $answer = $this->call('FECAESolicitar', ['FeCAEReq' => [
            'FeCabReq' => ['CantReg' => $count] + $this->point,
            'FeDetReq' => ['FECAEDetRequest' => array_map($invoice, range($from, $from + $count - 1))],
        ]]);
        $details = items($answer->FeDetResp->FECAEDetResponse ?? null);
        $observed = array_merge([], ...array_map(fn($d) => items($d->Observaciones->Obs ?? null), $details));
        return [
            'result' => $answer->FeCabResp->Resultado ?? '',
            'caes' => array_map(fn($d) => $d->CAE, $details),
            'codes' => array_merge(array_map(fn($o) => $o->Code, $observed), codes($answer)),
        ];
    }

    private function find(int $number): array
    {
        $answer = $this->call('FECompConsultar', ['FeCompConsReq' => $this->point + ['CbteNro' => $number]]);
        if (!isset($answer->ResultGet)) {
            return ['codes' => codes($answer)];
        }
        return ['caes' => [$answer->ResultGet->CodAutorizacion], 'total' => round($answer->ResultGet->ImpTotal, 2)];
    }

    private function last(): array
    {
        return ['number' => $this->call('FECompUltimoAutorizado', $this->point)->CbteNro];
    }

    private function advance(string $operation): array
    {
        $answer = $this->call($operation, ['Periodo' => $this->task->period, 'Orden' => $this->task->order]);
        return isset($answer->ResultGet) ? ['caea' => $answer->ResultGet->CAEA] : ['codes' => codes($answer)];
    }

    public function live(): void
    {
        $this->step('login', fn() => $this->login());
        $this->step('dummy', fn() => ['servers' => array_values((array) $this->service->FEDummy()->FEDummyResult)]);
        $last = $this->step('last', fn() => $this->last())['number'];
        $this->step('one', fn() => $this->issue($last + 1, 1));
        $this->step('lot', fn() => $this->issue($last + 2, 3));
        $this->step('found', fn() => $this->find($last + 1));
        $this->step('missing', fn() => $this->find(99999999));
        $this->step('types', fn() => ['number' => count($this->call('FEParamGetTiposCbte')->ResultGet->CbteTipo)]);
        $this->step('conditions', fn() => ['number' => count($this->call('FEParamGetCondicionIvaReceptor', ['ClaseCmp' => 'B'])->ResultGet->CondicionIvaReceptor)]);
        $this->step('wrong', fn() => $this->issue($last + 5, 1, ['ImpTotal' => 122.02]));
        // A null is written as xsi:nil.
        $this->step('blank', fn() => $this->issue($last + 5, 1, ['FchServDesde' => null, 'FchServHasta' => null, 'FchVtoPago' => null, 'CbtesAsoc' => null, 'Tributos' => null, 'Opcionales' => null]));
        $amounts = ['ImpTotal' => 931569.10, 'ImpNeto' => 769891.82, 'ImpIVA' => 161677.28, 'Iva' => ['AlicIva' => [['Id' => 5, 'BaseImp' => 769891.82, 'Importe' => 161677.28]]]];
        $this->step('digits', fn() => $this->issue($last + 6, 1, $amounts));
        $this->step('digits found', fn() => $this->find($last + 6));
        $this->step('advance', fn() => $this->advance('FECAEASolicitar'));
        $this->step('advance again', fn() => $this->advance('FECAEAConsultar'));
        if ($this->issuer->lost) {
            $this->step('lost', fn() => $this->issue($this->issuer->lost, 1));
            $this->step('asked', fn() => $this->find($this->issuer->lost));
            $this->step('sent again', fn() => $this->issue($this->issuer->lost, 1));
        }
        $this->step('end', fn() => $this->last());
    }
}

foreach ($task->issuers as $issuer) {
    (new Day($task, $issuer))->live();
}
